#include "dataplane/protocol/socks_address/socks_address.h"

namespace sluice::socks {

Result<Address> decode_address(Reader& in) noexcept {
  Address a;
  a.kind = static_cast<Address::Kind>(in.u8());
  if (in.short_read()) return fail(Errc::truncated);
  switch (a.kind) {
    case Address::Kind::v4:
      a.host = in.take(4);
      break;
    case Address::Kind::v6:
      a.host = in.take(16);
      break;
    case Address::Kind::name: {
      const std::uint8_t size = in.u8();
      if (size == 0 && !in.short_read()) return fail(Errc::malformed);
      a.host = in.take(size);
      break;
    }
    default:
      return fail(Errc::unsupported);
  }
  a.port = in.u16be();
  if (in.short_read()) return fail(Errc::truncated);
  return a;
}

Result<Destination> to_destination(const Address& address) {
  if (address.kind == Address::Kind::name)
    return Destination::from_host(as_text(address.host), address.port);
  Destination out;
  out.ip = IpAddress::from_bytes(address.host);
  out.port = address.port;
  return out;
}

Endpoint to_endpoint(const Address& address) noexcept {
  if (address.kind != Address::Kind::name)
    return {IpAddress::from_bytes(address.host), address.port};
  const auto literal = IpAddress::parse(as_text(address.host));
  return {literal ? *literal : IpAddress{}, address.port};
}

std::size_t address_size(const Endpoint& at) noexcept {
  return at.ip.is_v6() ? 1 + 16 + 2 : 1 + 4 + 2;
}

std::size_t address_size(const Destination& to) noexcept {
  return to.has_name() ? 1 + 1 + to.name.size() + 2 : address_size(Endpoint{to.ip, to.port});
}

void encode_address(const Endpoint& at, Writer& out) noexcept {
  const IpAddress ip = at.ip.valid() ? at.ip : IpAddress::v4(0);
  out.u8(static_cast<std::uint8_t>(ip.is_v6() ? Address::Kind::v6 : Address::Kind::v4));
  out.bytes(ip.bytes());
  out.u16be(at.port);
}

void encode_address(const Destination& to, Writer& out) noexcept {
  if (!to.has_name()) {
    encode_address(Endpoint{to.ip, to.port}, out);
    return;
  }
  out.u8(static_cast<std::uint8_t>(Address::Kind::name));
  out.u8(static_cast<std::uint8_t>(to.name.size()));
  out.text(to.name);
  out.u16be(to.port);
}

}  // namespace sluice::socks
