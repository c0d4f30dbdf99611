#include "dataplane/protocol/framed/frame.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::framed {
void FrameReader::skip(SliceQueue& in) noexcept {
  const std::size_t count = std::min(skip_, in.size());
  in.consume(count);
  skip_ -= count;
}

Result<std::optional<Frame>> FrameReader::next(SliceQueue& in, SlicePool& pool) noexcept {
  for (;;) {
    skip(in);
    std::array<std::byte, kLengthSize> prefix;
    if (in.peek(prefix) < prefix.size()) return std::optional<Frame>();
    const std::size_t size = Reader{prefix}.u16be();
    if (size > kMaxFrame) {
      ++dropped_;
      in.consume(prefix.size());
      skip_ = size;
      continue;
    }
    if (in.size() < prefix.size() + size) return std::optional<Frame>();
    auto slice = Slice::make(pool, kHeadroom);
    if (!slice) return fail(slice.error());
    in.consume(prefix.size());
    slice->grow(size);
    in.peek(slice->data());
    in.consume(size);
    Frame frame;
    frame.packet.data = slice->data().data();
    frame.packet.size = size;
    frame.packet.headroom = slice->headroom();
    frame.packet.tailroom = slice->tailroom();
    const auto address = socks::take_udp_head(frame.packet);
    if (!address) {
      ++dropped_;
      continue;
    }
    frame.address = *address;
    frame.slice = std::move(*slice);
    return std::optional<Frame>(std::move(frame));
  }
}

Status push_frame_head(Packet& packet, const Destination& address) noexcept {
  if (packet.size > kMaxFramePayload) return fail(Errc::too_large);
  if (packet.headroom < kLengthSize + 3 + socks::address_size(address)) return fail(Errc::no_room);
  const Status pushed = socks::push_udp_head(packet, address);
  if (!pushed) return pushed;
  const auto size = static_cast<std::uint16_t>(packet.size);
  Writer{packet.push(kLengthSize)}.u16be(size);
  return {};
}

}  // namespace sluice::framed
