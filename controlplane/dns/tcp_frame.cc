#include "controlplane/dns/tcp_frame.h"

#include <sys/uio.h>

#include <array>

#include "controlplane/dns/bounds.h"

namespace sluice::dns {
namespace {

/// Writes what is left of size and message behind `done` bytes.
Result<std::size_t> write_rest(Socket& socket, ByteView message, std::size_t done) noexcept {
  std::array<std::byte, 2> head;
  Writer{head}.u16be(static_cast<std::uint16_t>(message.size()));
  std::array<iovec, 2> parts{};
  std::size_t count = 0;
  if (done < 2) parts[count++] = {head.data() + done, 2 - done};
  const ByteView rest = message.subspan(done < 2 ? 0 : done - 2);
  parts[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};
  return socket.writev(parts.data(), count);
}

}  // namespace

bool FrameReader::whole() const noexcept {
  return buffer_.size() >= 2 && buffer_.size() - 2 >= Reader{buffer_}.u16be();
}

Result<std::size_t> FrameReader::read_some() {
  constexpr std::size_t kChunk = 2048;
  const std::size_t used = buffer_.size();
  buffer_.resize(used + kChunk);
  const auto n = socket_.read(ByteSpan(buffer_).subspan(used));
  buffer_.resize(used + (n ? *n : 0));
  return n;
}

Task<Result<ByteView>> FrameReader::next(Until until) {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(given_));
  given_ = 0;
  while (!whole()) {
    if (buffer_.empty()) std::vector<std::byte>().swap(buffer_);
    const Status ready = co_await readable(socket_.watch(), until);
    if (!ready) co_return fail(ready.error());
    const auto n = read_some();
    if (!n && n.error().code != Errc::again) co_return fail(n.error());
  }
  const std::size_t size = Reader{buffer_}.u16be();
  given_ = 2 + size;
  co_return ByteView(buffer_).subspan(2, size);
}

Task<Status> write_frame(Socket& socket, ByteView message, Until until) {
  if (message.size() > kMaxMessage) co_return fail(Errc::too_large);
  std::size_t done = 0;
  while (done < message.size() + 2) {
    const auto n = write_rest(socket, message, done);
    if (n) {
      done += *n;
      continue;
    }
    if (n.error().code != Errc::again) co_return fail(n.error());
    const Status ready = co_await writable(socket.watch(), until);
    if (!ready) co_return ready;
  }
  co_return Status{};
}

}  // namespace sluice::dns
