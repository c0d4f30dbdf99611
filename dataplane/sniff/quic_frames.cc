#include "dataplane/sniff/quic_frames.h"

#include <algorithm>

#include "dataplane/sniff/quic_packet.h"

namespace sluice::sniff {
namespace {

enum FrameType : std::uint64_t {
  kPadding = 0x00,
  kPing = 0x01,
  kAck = 0x02,
  kAckEcn = 0x03,
  kCrypto = 0x06,
  kClose = 0x1c
};

/// RFC 9000 section 19.3.
void skip_ack(Reader& in, bool with_ecn) noexcept {
  read_varint(in);  // largest acknowledged
  read_varint(in);  // delay
  const std::uint64_t ranges = read_varint(in);
  read_varint(in);  // first range
  for (std::uint64_t i = 0; i < ranges && !in.short_read(); ++i) {
    read_varint(in);  // gap
    read_varint(in);  // length
  }
  for (int i = 0; with_ecn && i < 3; ++i) read_varint(in);
}

/// `size` bytes of a peer's number.
ByteView take(Reader& in, std::uint64_t size) noexcept {
  return in.take(size > in.left() ? in.left() + 1 : static_cast<std::size_t>(size));
}

}  // namespace

bool take_crypto_frames(ByteView frames, HelloBytes& into) noexcept {
  Reader in{frames};
  while (in.left() > 0) {
    const std::uint64_t type = read_varint(in);
    switch (type) {
      case kPadding:  // mostly hundreds of them
        in.skip(static_cast<std::size_t>(
            std::ranges::find_if(in.rest(), [](std::byte b) { return b != std::byte{}; }) -
            in.rest().begin()));
        break;
      case kPing:
        break;
      case kAck:
      case kAckEcn:
        skip_ack(in, type == kAckEcn);
        break;
      case kCrypto: {
        const std::uint64_t offset = read_varint(in);
        const ByteView part = take(in, read_varint(in));
        if (!in.short_read()) into.add(offset, part);
        break;
      }
      case kClose:
        read_varint(in);  // error
        read_varint(in);  // frame type
        take(in, read_varint(in));
        break;
      default:
        return false;
    }
  }
  return !in.short_read();
}

}  // namespace sluice::sniff
