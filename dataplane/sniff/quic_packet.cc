#include "dataplane/sniff/quic_packet.h"

namespace sluice::sniff {
namespace {

/// Version 2 turns the types by one (RFC 9369 section 3.2).
LongPacket::Type type_of(std::uint8_t first, QuicVersion version) noexcept {
  const unsigned bits = first >> 4 & 3U;
  return static_cast<LongPacket::Type>(version == QuicVersion::v1 ? bits : (bits + 3) % 4);
}

}  // namespace

std::uint64_t read_varint(Reader& in) noexcept {
  const std::uint8_t first = in.u8();
  std::uint64_t value = first & 0x3f;
  for (int more = (1 << (first >> 6)) - 1; more > 0; --more) value = value << 8 | in.u8();
  return value;
}

Result<LongPacket> take_packet(ByteView& rest) noexcept {
  LongPacket out;
  Reader in{rest};
  const std::uint8_t first = in.u8();
  const std::uint32_t version = in.u32be();
  if (in.short_read() || !is_long_header(rest)) return fail(Errc::unsupported);
  out.version = static_cast<QuicVersion>(version);
  if (out.version != QuicVersion::v1 && out.version != QuicVersion::v2)
    return fail(Errc::unsupported);
  out.type = type_of(first, out.version);
  out.dcid = in.take(in.u8());
  const ByteView scid = in.take(in.u8());
  if (out.dcid.size() > kMaxConnectionId || scid.size() > kMaxConnectionId)
    return fail(Errc::malformed);
  if (out.type == LongPacket::Type::retry) {  // has no size and no number: fills the datagram
    out.bytes = rest;
    rest = {};
    return out;
  }
  if (out.type == LongPacket::Type::initial) {
    const std::uint64_t token_size = read_varint(in);
    if (token_size > in.left()) return fail(Errc::malformed);
    in.skip(static_cast<std::size_t>(token_size));
  }
  const std::uint64_t size = read_varint(in);
  if (in.short_read() || size > in.left()) return fail(Errc::malformed);
  out.number_at = in.position();
  out.bytes = rest.first(out.number_at + static_cast<std::size_t>(size));
  rest = rest.subspan(out.bytes.size());
  return out;
}

}  // namespace sluice::sniff
