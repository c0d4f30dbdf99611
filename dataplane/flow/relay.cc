#include "dataplane/flow/relay.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sluice::flow {
namespace {

/// Result of one splice: bytes, or again/closed/errno.
Result<std::size_t> splice_once(int from, int to, std::size_t size) noexcept {
  ssize_t n = 0;
  do {
    n = ::splice(from, nullptr, to, nullptr, size, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  } while (n < 0 && errno == EINTR);
  if (n > 0) return static_cast<std::size_t>(n);
  if (n == 0) return fail(Errc::closed);
  return fail_errno(errno);
}

}  // namespace

Relay::Relay(Worker& worker, transport::End& client, transport::End& upstream, Meter& meter,
             Grant& grant, const RelayLimits& limits) noexcept
    : worker_(worker),
      grant_(grant),
      limits_(limits),
      up_{.from = &client,
          .to = &upstream,
          .counter = &meter.upload,
          .from_side = Side::client,
          .to_side = Side::upstream},
      down_{.from = &upstream,
            .to = &client,
            .counter = &meter.download,
            .from_side = Side::upstream,
            .to_side = Side::client},
      done_(worker.loop()) {}

Relay::~Relay() {
  up_.from->set_sink(nullptr);
  up_.to->set_sink(nullptr);
  return_pipe(up_);
  return_pipe(down_);
}

void Relay::start() noexcept {
  up_.from->set_sink(this);
  up_.to->set_sink(this);
  last_activity_ = worker_.loop().now();
  if (limits_.keep_alive.on) settle_at_ = last_activity_ + limits_.lasting;
  if (up_.from->bare() == nullptr || up_.to->bare() == nullptr)
    tick_at_ = last_activity_ + kTickInterval;
  arm_timer();
  turn();
}

void Relay::on_ready() noexcept {
  turn();
}

void Relay::turn() noexcept {
  if (ended_) return;
  const Move up = move(up_);
  if (up == Move::failed) return;
  const Move down = move(down_);
  if (down == Move::failed) return;
  if (up_.finished && down_.finished && up_.to->queued() == 0 && down_.to->queued() == 0) {
    finish_run();
    return;
  }
  if (up == Move::more || down == Move::more) worker_.loop().requeue(*this);
}

Relay::Move Relay::move(Direction& d) noexcept {
  if (d.to->queued() != 0 && d.to->writable()) {
    const Status flushed = d.to->flush();
    if (!flushed && flushed.error().code == Errc::no_room) return wait_for_pool(), Move::idle;
    if (!flushed) return stop(flushed.error(), d.to_side);
  }
  if (d.finished) return Move::idle;
  if (d.in_pipe == 0 && d.pending.empty() && !d.ended && !d.from->readable()) return Move::idle;
  std::size_t budget = grant_.take(kTurnBytes);
  const std::size_t given = budget;
  if (given == 0) return Move::idle;
  Move result = Move::idle;
  do {
    result = move_once(d, budget);
  } while (result == Move::more && budget != 0);
  grant_.put_back(budget);
  if (given != budget) last_activity_ = worker_.loop().now();
  if (result != Move::failed && d.in_pipe == 0) return_pipe(d);
  return result;
}

Relay::Move Relay::move_once(Direction& d, std::size_t& budget) noexcept {
  // What is in the pipe goes first, whatever the other direction has queued at `from` meanwhile.
  // `to` is still bare: nothing but this direction writes to it.
  if (d.in_pipe != 0) return drain_pipe(d, *d.to->bare());
  Socket* from = d.bulk && d.pending.empty() ? d.from->bare() : nullptr;
  if (from != nullptr && from->watch().urgent()) from = nullptr;  // splice stops at the mark
  Socket* to = from != nullptr ? d.to->bare() : nullptr;
  if (to == nullptr || !borrow_pipe(d)) return move_slices(d, budget);
  return move_splice(d, *from, *to, budget);
}

Relay::Move Relay::move_slices(Direction& d, std::size_t& budget) noexcept {
  if (!d.pending.empty()) {
    const std::size_t before = d.pending.size();
    const Status written = d.to->write(d.pending);
    *d.counter += before - d.pending.size();
    if (!written && written.error().code == Errc::no_room) return wait_for_pool(), Move::idle;
    if (!written) return stop(written.error(), d.to_side);
  }
  if (d.ended) {
    end_stream(d);
    return Move::idle;
  }
  if (!d.from->readable() || d.to->queued() > kOutMark) return Move::idle;
  // A flow that has not shown itself to be bulk gets one block: most messages fit.
  const std::size_t share = d.bulk ? budget : std::min(budget, kBlockBytes);
  const auto got = d.from->read(d.pending, share);
  if (!got) return read_failed(d, got.error());
  budget -= std::min(*got, budget);
  d.bulk = *got >= kBulkRead;
  if (!d.pending.empty()) {
    const std::size_t before = d.pending.size();
    const Status written = d.to->write(d.pending);
    *d.counter += before - d.pending.size();
    if (!written && written.error().code == Errc::no_room) return wait_for_pool(), Move::idle;
    if (!written) return stop(written.error(), d.to_side);
  }
  return d.from->readable() ? Move::more : Move::idle;
}

Relay::Move Relay::move_splice(Direction& d, Socket& from, Socket& to,
                               std::size_t& budget) noexcept {
  if (!from.watch().readable()) return Move::idle;
  const auto got = splice_once(from.fd(), d.pipe->write.get(), std::min(budget, d.pipe->capacity));
  if (!got) {
    if (got.error().code == Errc::again) from.watch().clear_readable();
    if (got.error().code != Errc::closed) return read_failed(d, got.error());
    // The end, or an urgent mark that the end has followed: only a read tells them apart.
    d.bulk = false;
    return move_slices(d, budget);
  }
  d.in_pipe = *got;
  d.bulk = *got >= kSmallSplice;
  d.wish = *got >= kDeepSplice ? PipeSize::deep : PipeSize::small;
  budget -= *got;
  return drain_pipe(d, to);
}

Relay::Move Relay::drain_pipe(Direction& d, Socket& to) noexcept {
  while (d.in_pipe != 0) {
    if (!to.watch().writable()) return Move::idle;
    const auto sent = splice_once(d.pipe->read.get(), to.fd(), d.in_pipe);
    if (!sent) {
      if (sent.error().code == Errc::no_room) return wait_for_pool(), Move::idle;
      if (sent.error().code != Errc::again) return stop(sent.error(), d.to_side);
      to.watch().clear_writable();
      return Move::idle;
    }
    d.in_pipe -= *sent;
    *d.counter += *sent;
  }
  return Move::more;
}

bool Relay::borrow_pipe(Direction& d) noexcept {
  if (d.pipe) return true;
  auto pipe = worker_.pipes().take(d.wish);
  if (!pipe) return false;
  d.pipe.emplace(std::move(*pipe));
  return true;
}

void Relay::return_pipe(Direction& d) noexcept {
  if (!d.pipe) return;
  if (d.in_pipe == 0) {
    worker_.pipes().give(std::move(*d.pipe));
  } else {
    worker_.pipes().drop(std::move(*d.pipe));
  }
  d.pipe.reset();
}

Relay::Move Relay::read_failed(Direction& d, Error error) noexcept {
  switch (error.code) {
    case Errc::again:
      return Move::idle;
    case Errc::no_room:
      wait_for_pool();
      return Move::idle;
    case Errc::closed:
      d.ended = true;
      if (first_to_close_ == Side::us) first_to_close_ = d.from_side;
      if (d.pending.empty() && d.in_pipe == 0) end_stream(d);
      return Move::idle;
    default:
      return stop(error, d.from_side);
  }
}

void Relay::end_stream(Direction& d) noexcept {
  if (d.finished || !d.pending.empty()) return;
  d.finished = true;
  const Direction& other = &d == &up_ ? down_ : up_;
  // Closing the socket says it, one system call cheaper.
  if (other.finished && other.to->queued() == 0 && d.to->bare() != nullptr) return;
  // Any other error means that `to` is gone; its own reads tell, or the other direction ends the
  // flow.
  const Status told = d.to->finish();
  last_activity_ = worker_.loop().now();
  if (!told && told.error().code == Errc::no_room) {
    wait_for_pool();
  } else {
    arm_timer();
  }
}

Relay::Move Relay::stop(Error error, Side side) noexcept {
  error.side = side;
  outcome_ = fail(error);
  if (error.code == Errc::reset || error.code == Errc::timeout || error.code == Errc::bad_tag) {
    up_.from->abort();
    up_.to->abort();
  }
  finish_run();
  return Move::failed;
}

void Relay::wait_for_pool() noexcept {
  retry_at_ = worker_.loop().now() + kPoolRetry;
  arm_timer();
}

Moment Relay::idle_deadline() const noexcept {
  return last_activity_ + (half_closed() ? limits_.half_closed : limits_.idle);
}

void Relay::arm_timer() noexcept {
  worker_.loop().arm(*this, std::min({idle_deadline(), retry_at_, tick_at_, settle_at_}));
}

/// The flow has shown that it lasts: find out from now on when one of its peers is gone.
void Relay::settle() noexcept {
  settle_at_ = Moment::never();
  up_.from->keep_alive(limits_.keep_alive);
  up_.to->keep_alive(limits_.keep_alive);
}

bool Relay::tick_layers() noexcept {
  const Moment now = worker_.loop().now();
  tick_at_ = now + kTickInterval;
  for (const Direction* d : {&up_, &down_}) {
    const Status ticked = d->to->tick(now);
    if (ticked || ticked.error().code == Errc::no_room) continue;
    stop(ticked.error(), d->to_side);
    return false;
  }
  return true;
}

void Relay::fire() noexcept {
  const Moment now = worker_.loop().now();
  if (tick_at_ <= now && !tick_layers()) return;
  if (settle_at_ <= now) settle();
  const bool retry = retry_at_ <= now;
  if (retry) retry_at_ = Moment::never();
  if (idle_deadline() <= now) {
    stop(Error{Errc::timeout, Side::client, 0, 0}, Side::client);
    return;
  }
  arm_timer();
  if (retry) turn();
}

void Relay::finish_run() noexcept {
  ended_ = true;
  disarm();
  done_.set();
}

}  // namespace sluice::flow
