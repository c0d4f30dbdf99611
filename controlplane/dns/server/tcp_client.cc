#include "controlplane/dns/server/tcp_client.h"

#include <utility>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/tcp_frame.h"

namespace sluice::dns {
namespace {

/// Unsent bytes above which no further query is read: one largest reply.
constexpr std::size_t kMaxUnsent = kMaxMessage;

}  // namespace

bool TcpClient::may_read() const noexcept {
  return pending_ < kMaxPipelined && out_.size() < kMaxUnsent;
}

Task<void> TcpClient::serve() {
  FrameReader frames(socket_);
  Loop& loop = socket_.loop();
  for (;;) {
    while (!may_read()) {
      changed_.reset();
      const Status moved = co_await changed_.wait(Until(loop.now() + kTcpIdle, scope_));
      if (!moved) co_return;
    }
    Task<Result<ByteView>> next = frames.next(Until(loop.now() + kTcpIdle, scope_));
    const Result<ByteView> packet = co_await next;
    if (!packet) break;
    answer(*packet);
  }
  Task<void> rest = drain();
  co_await rest;
}

Task<void> TcpClient::drain() {
  const Until until(socket_.loop().now() + kQueryTimeout + kTcpWrite, scope_);
  while (pending_ != 0 || !out_.empty()) {
    changed_.reset();
    const Status moved = co_await changed_.wait(until);
    if (!moved) co_return;
  }
}

void TcpClient::answer(ByteView packet) {
  std::vector<std::byte> reply(kMaxMessage);
  const Responder::Now now = responder_.answer_now(packet, from_, Transport::tcp, reply);
  if (now.outcome == Responder::Outcome::answered) {
    queue(ByteView(reply).first(now.size));
  } else if (now.outcome == Responder::Outcome::pending) {
    ++pending_;
    if (!responder_.answer_later(now.query, Transport::tcp, shared_from_this())) {
      --pending_;
      close();
    }
  }
}

void TcpClient::send(ByteView message) noexcept {
  --pending_;
  if (!scope_.cancelled()) queue(message);
  changed_.set();
}

void TcpClient::queue(ByteView message) {
  const std::size_t used = out_.size();
  out_.resize(used + 2 + message.size());
  Writer w{std::span(out_).subspan(used)};
  w.u16be(static_cast<std::uint16_t>(message.size()));
  w.bytes(message);
  if (flushing_) return;
  flushing_ = true;
  tasks_.run(flush());
}

Task<void> TcpClient::flush() {
  while (!out_.empty()) {
    const auto n = socket_.write(out_);
    if (n) {
      out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(*n));
      changed_.set();
      continue;
    }
    if (n.error().code == Errc::again) {
      const Until until(socket_.loop().now() + kTcpWrite, scope_);
      const Status ready = co_await writable(socket_.watch(), until);
      if (ready) continue;
    }
    out_.clear();
    close();
  }
  flushing_ = false;
  std::vector<std::byte>().swap(out_);
}

void TcpClient::close() noexcept {
  scope_.cancel();
  changed_.set();
}

}  // namespace sluice::dns
