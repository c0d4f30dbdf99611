// cli/line_name.h - how people name a rule line: "12" of `rules`, "ads/3" of a sub-rule list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::cli {

struct LineName {
  std::string list;          ///< a sub-rule list, whose name may hold `/`; empty: `rules`
  std::uint32_t number = 0;  ///< place in that list, from 0
  friend bool operator==(const LineName&, const LineName&) = default;
};

/// Errors: malformed.
[[nodiscard]] Result<LineName> parse_line_name(std::string_view text);
/// What parse_line_name reads back.
[[nodiscard]] std::string to_text(const LineName& name);

}  // namespace sluice::cli
