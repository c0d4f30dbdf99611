// common/text.h - small text helpers that never allocate unless they return a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice {

/// Without blanks, tabs, CR and LF at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;
[[nodiscard]] bool iequals(std::string_view a, std::string_view b) noexcept;
[[nodiscard]] constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

/// Well-formed UTF-8, RFC 3629 section 4: no surrogates, no overlong forms, nothing past U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// A whole decimal number, nothing else. Errors: malformed (also when it does not fit).
[[nodiscard]] Result<std::uint64_t> parse_number(std::string_view text,
                                                 std::uint64_t max = UINT64_MAX) noexcept;

struct HostPort {
  std::string_view host;  ///< without brackets; a view into the input
  std::uint16_t port = 0;
};
/// "host:port" or "[v6]:port"; the port is required, 0..65535. Errors: malformed.
[[nodiscard]] Result<HostPort> split_host_port(std::string_view text) noexcept;
/// Brackets the host when it holds a colon.
[[nodiscard]] std::string join_host_port(std::string_view host, std::uint16_t port);

}  // namespace sluice
