// sniff/host_name.h - a host name in normal form (common/name.h) that lies in place: no allocation.
#pragma once

#include <array>
#include <string_view>

#include "proto/common/name.h"

namespace sluice::sniff {

/// Plain value; empty until a name was put in.
class HostName {
 public:
  /// Takes `name` in normal form. False, and empty, when it is no name: malformed, or an address.
  bool assign(std::string_view name) noexcept;
  /// Takes the host of `[user@]host[:port]` (RFC 3986 section 3.2); false as above.
  bool assign_authority(std::string_view authority) noexcept;
  void clear() noexcept { size_ = 0; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, kMaxName> text_;  // bytes past size_ mean nothing
  std::uint8_t size_ = 0;
};
static_assert(kMaxName <= UINT8_MAX);

}  // namespace sluice::sniff
