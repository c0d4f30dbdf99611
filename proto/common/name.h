// common/name.h - domain names in the one form that rules, DNS and bindings compare.
//
// Normal form: lower case ASCII, no trailing dot, 1..253 bytes, labels of 1..63 bytes, no byte
// below 0x21 and none of `:/=@%?#\`. `_` and `-` are legal anywhere (B053). U-labels are turned
// into A-labels by the configuration reader, not here: on the wire names are bytes.
#pragma once

#include <string>
#include <string_view>

#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice {

inline constexpr std::size_t kMaxName = 253;

/// Normal form of `text`; one trailing dot is dropped. Errors: malformed.
[[nodiscard]] Result<std::string> normalize_name(std::string_view text);
/// True when `text` already is in normal form.
[[nodiscard]] bool is_normal_name(std::string_view text) noexcept;

/// Where a flow wants to go: a name, an address, or both (a fake-IP flow knows its name; a resolved
/// one has both). Owner: whoever holds it; plain value.
struct Destination {
  std::string name;  ///< normal form, or empty
  IpAddress ip;      ///< invalid when only the name is known
  std::uint16_t port = 0;

  /// From a host text that may be a name or an address literal (SOCKS domain fields hold both).
  /// Errors: malformed.
  static Result<Destination> from_host(std::string_view host, std::uint16_t port);
  [[nodiscard]] bool has_name() const noexcept { return !name.empty(); }
  /// The name when known, else the address.
  [[nodiscard]] std::string host() const { return has_name() ? name : ip.to_string(); }
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Destination&, const Destination&) = default;
};

}  // namespace sluice
