// common/address.h - IP addresses, endpoints and prefixes as plain values.
//
// An IpAddress is 16 bytes plus a family. An IPv4-mapped IPv6 address (::ffff:a.b.c.d) never exists
// as v6 here: every constructor turns it into v4, so rules, ACLs and NAT keys meet one form only.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

struct sockaddr;
struct sockaddr_storage;

namespace sluice {

enum class Family : std::uint8_t { none = 0, v4 = 4, v6 = 6 };
enum class Network : std::uint8_t { tcp = 0, udp = 1 };

class IpAddress {
 public:
  constexpr IpAddress() noexcept = default;
  /// From the four bytes in host order: v4(0x7f000001) is 127.0.0.1.
  static IpAddress v4(std::uint32_t host_order) noexcept;
  /// From 4 or 16 bytes in network order; mapped addresses become v4. Other sizes: family none.
  static IpAddress from_bytes(ByteView bytes) noexcept;
  /// Text forms of RFC 4291 and dotted quads; no brackets, no zone. Errors: malformed.
  static Result<IpAddress> parse(std::string_view text) noexcept;

  [[nodiscard]] Family family() const noexcept { return family_; }
  [[nodiscard]] bool is_v4() const noexcept { return family_ == Family::v4; }
  [[nodiscard]] bool is_v6() const noexcept { return family_ == Family::v6; }
  [[nodiscard]] bool valid() const noexcept { return family_ != Family::none; }
  [[nodiscard]] bool is_unspecified() const noexcept;
  [[nodiscard]] bool is_loopback() const noexcept;
  [[nodiscard]] bool is_multicast() const noexcept;
  [[nodiscard]] bool is_link_local() const noexcept;
  /// 4 or 16 bytes in network order; empty when invalid.
  [[nodiscard]] ByteView bytes() const noexcept;
  /// v4 as a number in host order; 0 for anything else.
  [[nodiscard]] std::uint32_t v4_value() const noexcept;
  /// 16 bytes, v4 as ::ffff:a.b.c.d.
  [[nodiscard]] std::array<std::byte, 16> mapped() const noexcept;
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  Family family_ = Family::none;
  std::array<std::byte, 16> bytes_{};  // v4 in the first four
};

struct Endpoint {
  IpAddress ip;
  std::uint16_t port = 0;  ///< host byte order

  /// "1.2.3.4:80" or "[::1]:80". Errors: malformed.
  static Result<Endpoint> parse(std::string_view text) noexcept;
  static Endpoint from_sockaddr(const sockaddr* address) noexcept;
  /// Fills `out`; with `as_v6` v4 addresses are written mapped (dual-stack sockets). Returns the
  /// length for the socket calls; 0 when the address is not valid.
  std::uint32_t to_sockaddr(sockaddr_storage& out, bool as_v6 = false) const noexcept;
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

struct Prefix {
  IpAddress base;           ///< host bits are zero
  std::uint8_t length = 0;  ///< 0..32 or 0..128
  /// "10.0.0.0/8", a bare address is /32 or /128, host bits are masked, blanks around are ignored.
  /// Errors: malformed; unsupported for ::ffff:0:0/96 and shorter mapped prefixes (match nothing).
  static Result<Prefix> parse(std::string_view text) noexcept;
  static Prefix of(const IpAddress& address, unsigned length) noexcept;
  [[nodiscard]] bool contains(const IpAddress& address) const noexcept;
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Prefix&, const Prefix&) = default;
};

/// Good avalanche over address and port; for hash tables, not for secrets.
[[nodiscard]] std::uint64_t hash_value(const IpAddress& address) noexcept;
[[nodiscard]] std::uint64_t hash_value(const Endpoint& endpoint) noexcept;

struct EndpointHash {
  std::size_t operator()(const Endpoint& e) const noexcept {
    return static_cast<std::size_t>(hash_value(e));
  }
};
struct IpAddressHash {
  std::size_t operator()(const IpAddress& a) const noexcept {
    return static_cast<std::size_t>(hash_value(a));
  }
};

}  // namespace sluice
