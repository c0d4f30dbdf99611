// ruleformats/refusal.h - why a file as a whole is not used.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::ruleformats {

struct Refusal {
  /// truncated: the file ends early. malformed: never was one. unsupported: a version or type that
  /// is not handled. too_large: exceeds a limit. not_found: no such category.
  Errc code = Errc::none;
  std::uint64_t offset = 0;  ///< bytes into the file, or into its plain content when compressed
  std::string_view reason;   ///< static storage: "has no list under `payload:`"
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

template <class T>
using Outcome = std::expected<T, Refusal>;

[[nodiscard]] constexpr std::unexpected<Refusal> refuse(Errc code, std::uint64_t offset,
                                                        std::string_view reason) noexcept {
  return std::unexpected<Refusal>(Refusal{code, offset, reason});
}

}  // namespace sluice::ruleformats
