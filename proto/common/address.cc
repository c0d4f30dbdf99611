#include "proto/common/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>

#include "proto/common/hash.h"
#include "proto/common/text.h"

namespace sluice {
namespace {

constexpr std::array<std::byte, 12> kMappedHead{
    std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},    std::byte{0},
    std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0xff}, std::byte{0xff}};

}  // namespace

IpAddress IpAddress::v4(std::uint32_t host_order) noexcept {
  IpAddress a;
  a.family_ = Family::v4;
  for (unsigned i = 0; i < 4; ++i) a.bytes_[i] = static_cast<std::byte>(host_order >> (24 - 8 * i));
  return a;
}

IpAddress IpAddress::from_bytes(ByteView bytes) noexcept {
  IpAddress a;
  if (bytes.size() == 4) {
    a.family_ = Family::v4;
    std::memcpy(a.bytes_.data(), bytes.data(), 4);
  } else if (bytes.size() == 16) {
    if (std::memcmp(bytes.data(), kMappedHead.data(), kMappedHead.size()) == 0)
      return from_bytes(bytes.subspan(12));
    a.family_ = Family::v6;
    std::memcpy(a.bytes_.data(), bytes.data(), 16);
  }
  return a;
}

Result<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  std::array<char, INET6_ADDRSTRLEN + 1> buffer{};
  if (text.empty() || text.size() >= buffer.size()) return fail(Errc::malformed);
  std::memcpy(buffer.data(), text.data(), text.size());
  if (std::memchr(buffer.data(), 0, text.size()) != nullptr) return fail(Errc::malformed);
  std::array<std::byte, 16> raw{};
  if (::inet_pton(AF_INET, buffer.data(), raw.data()) == 1)
    return from_bytes(ByteView(raw).first(4));
  if (::inet_pton(AF_INET6, buffer.data(), raw.data()) == 1) return from_bytes(raw);
  return fail(Errc::malformed);
}

bool IpAddress::is_unspecified() const noexcept {
  for (const std::byte b : bytes())
    if (b != std::byte{0}) return false;
  return valid();
}

bool IpAddress::is_loopback() const noexcept {
  if (is_v4()) return bytes_[0] == std::byte{127};
  if (!is_v6()) return false;
  for (unsigned i = 0; i < 15; ++i)
    if (bytes_[i] != std::byte{0}) return false;
  return bytes_[15] == std::byte{1};
}

bool IpAddress::is_multicast() const noexcept {
  if (is_v4()) return (bytes_[0] & std::byte{0xf0}) == std::byte{0xe0};
  return is_v6() && bytes_[0] == std::byte{0xff};
}

bool IpAddress::is_link_local() const noexcept {
  if (is_v4()) return bytes_[0] == std::byte{169} && bytes_[1] == std::byte{254};
  return is_v6() && bytes_[0] == std::byte{0xfe} &&
         (bytes_[1] & std::byte{0xc0}) == std::byte{0x80};
}

ByteView IpAddress::bytes() const noexcept {
  switch (family_) {
    case Family::v4:
      return ByteView(bytes_).first(4);
    case Family::v6:
      return ByteView(bytes_);
    case Family::none:
      break;
  }
  return {};
}

std::uint32_t IpAddress::v4_value() const noexcept {
  if (!is_v4()) return 0;
  Reader in{bytes()};
  return in.u32be();
}

std::array<std::byte, 16> IpAddress::mapped() const noexcept {
  if (!is_v4()) return bytes_;
  std::array<std::byte, 16> out{};
  std::memcpy(out.data(), kMappedHead.data(), kMappedHead.size());
  std::memcpy(out.data() + 12, bytes_.data(), 4);
  return out;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN + 1> buffer{};
  if (!valid()) return {};
  ::inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), buffer.data(), buffer.size());
  return buffer.data();
}

Result<Endpoint> Endpoint::parse(std::string_view text) noexcept {
  const auto split = split_host_port(text);
  if (!split) return fail(split.error());
  const auto ip = IpAddress::parse(split->host);
  if (!ip) return fail(ip.error());
  return Endpoint{*ip, split->port};
}

Endpoint Endpoint::from_sockaddr(const sockaddr* address) noexcept {
  Endpoint out;
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    out.ip = IpAddress::v4(ntohl(in.sin_addr.s_addr));
    out.port = ntohs(in.sin_port);
  } else if (address->sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, address, sizeof in);
    out.ip = IpAddress::from_bytes(std::as_bytes(std::span(in.sin6_addr.s6_addr)));
    out.port = ntohs(in.sin6_port);
  }
  return out;
}

std::uint32_t Endpoint::to_sockaddr(sockaddr_storage& out, bool as_v6) const noexcept {
  if (!ip.valid()) return 0;
  if (ip.is_v4() && !as_v6) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, ip.bytes().data(), 4);
    std::memcpy(&out, &in, sizeof in);
    return sizeof in;
  }
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(port);
  const auto mapped = ip.mapped();
  std::memcpy(&in.sin6_addr, mapped.data(), mapped.size());
  std::memcpy(&out, &in, sizeof in);
  return sizeof in;
}

std::string Endpoint::to_string() const {
  return join_host_port(ip.to_string(), port);
}

Prefix Prefix::of(const IpAddress& address, unsigned length) noexcept {
  std::array<std::byte, 16> raw{};
  const ByteView in = address.bytes();
  if (!in.empty()) std::memcpy(raw.data(), in.data(), in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const unsigned first_bit = static_cast<unsigned>(i) * 8;
    if (length >= first_bit + 8) continue;
    const unsigned keep = length > first_bit ? length - first_bit : 0;
    raw[i] &= static_cast<std::byte>(0xff00U >> keep);
  }
  // A v6 base whose leading bits are the mapped head becomes v4 in from_bytes; prefixes that short
  // of it (such as ::/0) keep their own family because their bytes are zero.
  Prefix out;
  out.base = IpAddress::from_bytes(ByteView(raw).first(in.size()));
  out.length = static_cast<std::uint8_t>(length);
  return out;
}

Result<Prefix> Prefix::parse(std::string_view text) noexcept {
  text = trim(text);
  const std::size_t slash = text.find('/');
  const auto host = text.substr(0, slash);
  const auto ip = IpAddress::parse(host);
  if (!ip) return fail(ip.error());
  // The mapped form counts as v4. All of ::ffff:0:0/96 is refused: no flow has such an address
  // here, and turned into 0.0.0.0/0 it would match every v4 flow (B028).
  const bool written_v6 = host.find(':') != std::string_view::npos;
  const unsigned top = written_v6 ? 128 : 32;
  unsigned length = top;
  if (slash != std::string_view::npos) {
    const auto tail = text.substr(slash + 1);
    const auto [end, ec] = std::from_chars(tail.data(), tail.data() + tail.size(), length);
    if (ec != std::errc{} || end != tail.data() + tail.size() || length > top)
      return fail(Errc::malformed);
  }
  if (written_v6 && ip->is_v4()) {
    if (length <= 96) return fail(Errc::unsupported);
    length -= 96;
  }
  return of(*ip, length);
}

bool Prefix::contains(const IpAddress& address) const noexcept {
  return address.family() == base.family() && of(address, length).base == base;
}

std::string Prefix::to_string() const {
  return base.to_string() + "/" + std::to_string(length);
}

std::uint64_t hash_value(const IpAddress& address) noexcept {
  return hash_bytes(address.bytes(), static_cast<std::uint64_t>(address.family()));
}

std::uint64_t hash_value(const Endpoint& endpoint) noexcept {
  return hash_bytes(endpoint.ip.bytes(), endpoint.port + 0x9e3779b97f4a7c15ULL);
}

}  // namespace sluice
