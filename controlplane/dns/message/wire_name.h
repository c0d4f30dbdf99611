// dns/message/wire_name.h - domain names as they are on the wire, RFC 1035 section 3.1.
//
//   |len| label |len| label | 0 |      at most 255 bytes; a label has 1..63
//
// Labels are bytes: a name may hold anything. Only to_normal() gives the text form that rules and
// bindings compare, and refuses what has none (B053).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proto/common/cursor.h"
#include "proto/common/name.h"
#include "proto/common/result.h"

namespace sluice::dns {

inline constexpr std::size_t kMaxWireName = 255;

/// A name in normal form without a heap block. Plain value.
struct NormalName {
  std::array<char, kMaxName + 3> text{};
  std::uint8_t size = 0;
  [[nodiscard]] std::string_view view() const noexcept { return {text.data(), size}; }
};

/// An uncompressed name with its root label, in the case its sender chose. Plain value.
class WireName {
 public:
  /// The root.
  WireName() noexcept = default;
  /// From a name in normal form. Errors: malformed (not in normal form).
  static Result<WireName> from_text(std::string_view normal) noexcept;

  [[nodiscard]] ByteView bytes() const noexcept { return ByteView(bytes_).first(size_); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_root() const noexcept { return size_ == 1; }
  /// The same name with every ASCII letter in lower case.
  [[nodiscard]] WireName lowered() const noexcept;
  /// Errors: malformed: the root, or a byte that normal form does not allow (a dot in a label too).
  [[nodiscard]] Result<NormalName> to_normal() const noexcept;
  /// Equal but for the case of ASCII letters, RFC 4343.
  friend bool operator==(const WireName& a, const WireName& b) noexcept;

 private:
  friend Result<WireName> read_name(ByteView message, std::size_t& at) noexcept;
  std::array<std::byte, kMaxWireName> bytes_{};
  std::uint8_t size_ = 1;
};

/// Reads the name at `at`, following compression pointers, and moves `at` behind it. A pointer must
/// lead before the part of the name it ends, so no chain can loop.
/// Errors: truncated; malformed (pointer forward or into the header, label type, over 255 bytes).
[[nodiscard]] Result<WireName> read_name(ByteView message, std::size_t& at) noexcept;

}  // namespace sluice::dns
