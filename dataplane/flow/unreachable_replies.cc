#include "dataplane/flow/unreachable_replies.h"

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>

#include "dataplane/flow/limits.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/send_batch.h"

namespace sluice::flow {
namespace {

constexpr std::uint8_t kUdp = 17;
constexpr std::uint8_t kHops = 64;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kIpv4Header = 20;

/// RFC 1071.
std::uint16_t checksum(ByteView bytes) noexcept {
  std::uint32_t sum = 0;
  Reader in{bytes};
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) sum += in.u16be();
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum);
}

std::uint8_t code_v4(Unreachable why) noexcept {
  switch (why) {
    case Unreachable::port:
      return ICMP_PORT_UNREACH;
    case Unreachable::host:
      return ICMP_HOST_UNREACH;
    case Unreachable::network:
      return ICMP_NET_UNREACH;
    case Unreachable::prohibited:
      return ICMP_PKT_FILTERED;
  }
  return ICMP_HOST_UNREACH;
}

std::uint8_t code_v6(Unreachable why) noexcept {
  switch (why) {
    case Unreachable::port:
      return ICMP6_DST_UNREACH_NOPORT;
    case Unreachable::host:
      return ICMP6_DST_UNREACH_ADDR;
    case Unreachable::network:
      return ICMP6_DST_UNREACH_NOROUTE;
    case Unreachable::prohibited:
      return ICMP6_DST_UNREACH_ADMIN;
  }
  return ICMP6_DST_UNREACH_ADDR;
}

void put_checksum(ByteSpan at, ByteView over) noexcept {
  Writer{at}.u16be(checksum(over));
}

void put_udp(Writer& out, const Endpoint& client, const Endpoint& to) noexcept {
  out.u16be(client.port);
  out.u16be(to.port);
  out.u16be(kUdpHeader);
  out.u16be(0);
}

}  // namespace

ByteView write_unreachable(std::span<std::byte, kMaxUnreachable> room, const Endpoint& client,
                           const Endpoint& to, Unreachable why) noexcept {
  Writer out{room};
  if (client.ip.is_v6()) {
    out.u8(ICMP6_DST_UNREACH);
    out.u8(code_v6(why));
    out.u16be(0);
    out.u32be(0);
    out.u32be(0x60000000U);  // version, no class, no label
    out.u16be(kUdpHeader);
    out.u8(kUdp);
    out.u8(kHops);
    out.bytes(client.ip.bytes());
    out.bytes(to.ip.bytes());
    put_udp(out, client, to);
    return room;
  }
  constexpr std::size_t kHead = 8;
  out.u8(ICMP_DEST_UNREACH);
  out.u8(code_v4(why));
  out.u16be(0);
  out.u32be(0);
  out.u16be(0x4500);  // version, five words, no class
  out.u16be(kIpv4Header + kUdpHeader);
  out.u32be(0);  // no fragment
  out.u8(kHops);
  out.u8(kUdp);
  out.u16be(0);
  out.bytes(client.ip.bytes());
  out.bytes(to.ip.bytes());
  put_udp(out, client, to);
  const ByteSpan whole = ByteSpan(room).first(kHead + kIpv4Header + kUdpHeader);
  put_checksum(whole.subspan(kHead + 10, 2), whole.subspan(kHead, kIpv4Header));
  put_checksum(whole.subspan(2, 2), whole);
  return whole;
}

bool UnreachableReplies::allowed(Moment now) noexcept {
  if (now - second_ >= 1'000_ms) {
    second_ = now;
    told_ = 0;
  }
  return ++told_ <= kUnreachablePerSecond;
}

void UnreachableReplies::tell(const Endpoint& client, const Endpoint& to, Unreachable why,
                              Moment now) noexcept {
  if (client.ip.family() != to.ip.family() || !allowed(now)) return;
  UniqueFd& fd = client.ip.is_v6() ? v6_ : v4_;
  if (!fd.valid()) {
    auto opened = open_icmp_sender(client.ip.family(), mark_);
    if (!opened) return;
    fd = std::move(*opened);
  }
  std::array<std::byte, kMaxUnreachable> room;
  const OutDatagram out{write_unreachable(room, client, to, why), {client.ip, 0}, to.ip, {}};
  (void)send_batch(fd.get(), {&out, 1}, false);
}

}  // namespace sluice::flow
