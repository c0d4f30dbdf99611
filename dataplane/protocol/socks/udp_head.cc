#include "dataplane/protocol/socks/udp_head.h"

namespace sluice::socks {
Result<Address> take_udp_head(Packet& packet) noexcept {
  Reader in{packet.bytes()};
  const std::uint16_t reserved = in.u16be();
  const std::uint8_t fragment = in.u8();
  if (in.short_read() || reserved != 0) return fail(Errc::malformed);
  if (fragment != 0) return fail(Errc::unsupported);
  const auto address = decode_address(in);
  if (!address)
    return fail(address.error().code == Errc::truncated ? Errc::malformed : address.error().code);
  packet.drop_front(in.position());
  return address;
}

Status push_udp_head(Packet& packet, const Destination& to) noexcept {
  const std::size_t size = 3 + address_size(to);
  if (packet.headroom < size) return fail(Errc::no_room);
  Writer out{packet.push(size)};
  out.u16be(0);
  out.u8(0);
  encode_address(to, out);
  return {};
}

ByteView write_udp_head(std::span<std::byte, kMaxEndpointHead> room,
                        const Endpoint& source) noexcept {
  Writer out{room};
  out.u16be(0);
  out.u8(0);
  encode_address(source, out);
  return ByteView(room).first(3 + address_size(source));
}

}  // namespace sluice::socks
