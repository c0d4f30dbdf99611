#include "dataplane/transport/socket_end.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::transport {
namespace {

/// Fresh slices for one readv, with room kept in front and behind for what a layer adds later.
struct ReadVector {
  std::array<Slice, kReadBlocks> slices;
  std::array<iovec, kReadBlocks> parts;
  std::size_t count = 0;
  std::size_t room = 0;

  /// Takes up to `blocks` slices for at most `budget` bytes. Errors: no_room when there is not one.
  Status take(SlicePool& pool, std::size_t blocks, std::size_t budget) noexcept {
    while (count < blocks && room < budget) {
      auto slice = Slice::make(pool, kHeadroom);
      if (!slice) return count != 0 ? Status{} : fail(slice.error());
      const std::size_t size = std::min(slice->tailroom() - kTailroom, budget - room);
      parts[count] = {slice->room().data(), size};
      slices[count++] = std::move(*slice);
      room += size;
    }
    return {};
  }
  /// Hands over the `size` bytes that were read; unused slices go back to the pool.
  void deliver(std::size_t size, SliceQueue& into) noexcept {
    for (std::size_t i = 0; i < count && size != 0; ++i) {
      const std::size_t here = std::min(size, parts[i].iov_len);
      slices[i].grow(here);
      into.push_back(std::move(slices[i]));
      size -= here;
    }
  }
};

}  // namespace

void SocketEnd::push(std::unique_ptr<Layer> layer) {
  Stage stage;
  stage.layer = std::move(layer);
  stage.wire = std::move(unread_);
  stalled_ = stalled_ || !stage.wire.empty();
  stages_.push_back(std::move(stage));
}

std::size_t SocketEnd::headroom() const noexcept {
  std::size_t sum = 0;
  for (const Stage& stage : stages_) sum += stage.layer->shape().head;
  return std::max(sum, kHeadroom);
}

bool SocketEnd::readable() const noexcept {
  // An end that came in the same bytes as the last payload is still to be told: no event follows.
  return stalled_ || !unread_.empty() || input_end_.code != Errc::none ||
         socket_.watch().readable();
}

std::size_t SocketEnd::queued() const noexcept {
  std::size_t sum = out_.size();
  for (const Stage& stage : stages_) sum += stage.plain.size();
  const bool owes_end = finishing_ && !fin_sent_;
  return sum == 0 && owes_end ? 1 : sum;
}

Socket* SocketEnd::bare() noexcept {
  const bool empty = stages_.empty() && out_.empty() && unread_.empty();
  return empty ? &socket_ : nullptr;
}

void SocketEnd::unread(SliceQueue bytes) noexcept {
  bytes.append(std::move(unread_));
  unread_ = std::move(bytes);
}

Result<std::size_t> SocketEnd::end_input(Error why) noexcept {
  input_end_ = why;
  return fail(why);
}

Result<std::size_t> SocketEnd::read_socket(SliceQueue& into, std::size_t budget) noexcept {
  ReadVector vector;
  const Status room = vector.take(pool_, read_blocks_, budget);
  if (!room) return fail(room.error());
  const auto size = socket_.readv(vector.parts.data(), vector.count);
  if (!size) return size;
  vector.deliver(*size, into);
  if (*size == vector.room) {
    read_blocks_ = static_cast<std::uint8_t>(std::min<std::size_t>(2U * read_blocks_, kReadBlocks));
  } else if (*size * 4 < vector.room) {
    read_blocks_ = static_cast<std::uint8_t>(std::max(1, read_blocks_ / 2));
  }
  return size;
}

Result<std::size_t> SocketEnd::read(SliceQueue& into, std::size_t budget) noexcept {
  if (!unread_.empty()) {
    const std::size_t size = unread_.size();
    into.append(std::move(unread_));
    return size;
  }
  if (input_end_.code != Errc::none) return fail(input_end_);
  if (budget == 0) return fail(Errc::again);
  SliceQueue& lowest = stages_.empty() ? into : stages_.front().wire;
  if (!stalled_) {
    const auto size = read_socket(lowest, budget);
    if (!size) {
      const Errc code = size.error().code;
      if (code == Errc::again || code == Errc::no_room) return size;
      // A stream that ends inside a record was cut, whatever the socket says.
      const bool cut = std::ranges::any_of(stages_, [](const Stage& s) { return !s.wire.empty(); });
      return end_input(code == Errc::closed && cut ? Error{Errc::reset} : size.error());
    }
    if (stages_.empty()) return size;
  }
  const std::size_t before = into.size();
  const Status opened = open_up(into);
  // A write error is the next write's to report: what was read is still good.
  if (queued() != 0) (void)flush();
  const std::size_t got = into.size() - before;
  if (opened) return got;
  stalled_ = opened.error().code == Errc::no_room;
  if (!stalled_) input_end_ = opened.error();
  if (got != 0) return got;
  return fail(opened.error());
}

/// Runs every stage over what lies in front of it, from the socket's side up.
Status SocketEnd::open_up(SliceQueue& into) noexcept {
  stalled_ = false;
  for (std::size_t i = 0; i < stages_.size();) {
    bool dropped = false;
    const Status opened = open_stage(i, into, dropped);
    if (!opened) return opened;
    if (!dropped) ++i;
  }
  return {};
}

Status SocketEnd::open_stage(std::size_t i, SliceQueue& into, bool& dropped) noexcept {
  Stage& stage = stages_[i];
  SliceQueue& above = i + 1 < stages_.size() ? stages_[i + 1].wire : into;
  SliceQueue reply;
  const Status opened = stage.layer->open(stage.wire, above, reply);
  below(i).append(std::move(reply));
  const LayerState state = stage.layer->state();
  if (state == LayerState::half_closed && input_end_.code == Errc::none)
    input_end_ = Error{Errc::closed};
  if (opened && state == LayerState::transparent) {
    drop_stage(i, above);
    dropped = true;
  }
  return opened;
}

void SocketEnd::drop_stage(std::size_t i, SliceQueue& above) noexcept {
  above.append(std::move(stages_[i].wire));
  below(i).append(std::move(stages_[i].plain));
  stages_.erase(stages_.begin() + static_cast<std::ptrdiff_t>(i));
}

/// After sealing: a layer may turn transparent on the way out as well.
void SocketEnd::drop_transparent() noexcept {
  for (std::size_t i = stages_.size(); i-- > 0;) {
    if (stages_[i].layer->state() != LayerState::transparent) continue;
    SliceQueue& above = i + 1 < stages_.size() ? stages_[i + 1].wire : unread_;
    const bool left = !stages_[i].wire.empty();
    drop_stage(i, above);
    if (left && i < stages_.size()) stalled_ = true;
  }
}

/// Seals what lies in front of every stage, from the plain side down; then the goodbyes.
Status SocketEnd::seal_down() noexcept {
  for (std::size_t i = stages_.size(); i-- > 0;) {
    Stage& stage = stages_[i];
    if (!stage.plain.empty()) {
      const Status sealed = stage.layer->seal(stage.plain, below(i));
      if (!sealed) return sealed;
    }
    if (!finishing_ || stage.finished) continue;
    const Status said = stage.layer->finish(below(i));
    if (!said) return said;
    stage.finished = true;
  }
  drop_transparent();
  return {};
}

Status SocketEnd::write(SliceQueue& from) noexcept {
  if (finishing_) return fail(Errc::closed);
  if (stages_.empty()) {
    out_.append(std::move(from));
    return write_out();
  }
  const Status before = seal_down();
  if (!before) return before;
  if (stages_.empty()) {
    out_.append(std::move(from));
    return write_out();
  }
  const Status sealed = stages_.back().layer->seal(from, below(stages_.size() - 1));
  const Status flushed = flush();
  return sealed ? flushed : sealed;
}

Status SocketEnd::flush() noexcept {
  const Status sealed = stages_.empty() ? Status{} : seal_down();
  const Status written = write_out();
  return written ? sealed : written;
}

/// Until the queue is empty or the socket said `again`: readiness comes as an edge, so stopping
/// earlier would leave bytes behind that no event ever sends.
Status SocketEnd::write_out() noexcept {
  while (!out_.empty()) {
    std::array<iovec, kWriteParts> parts;
    const auto size = socket_.writev(parts.data(), out_.gather(parts.data(), parts.size()));
    if (!size && size.error().code == Errc::again) return {};
    if (!size) return fail(size.error());
    out_.consume(*size);
  }
  if (!finishing_ || fin_sent_) return {};
  const bool said =
      std::ranges::all_of(stages_, [](const Stage& s) { return s.finished && s.plain.empty(); });
  if (!said) return {};
  fin_sent_ = true;
  socket_.shut_write();
  return {};
}

Status SocketEnd::finish() noexcept {
  finishing_ = true;
  return flush();
}

Status SocketEnd::tick(Moment now) noexcept {
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const Status ticked = stages_[i].layer->tick(now, below(i));
    if (!ticked) return ticked;
  }
  return queued() != 0 ? flush() : Status{};
}

}  // namespace sluice::transport
