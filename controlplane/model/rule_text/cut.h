// rule_text/cut.h - where the fields of one atom begin and end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "controlplane/model/condition.h"

namespace sluice::model::rule_text {

/// Views into the text, blanks around trimmed.
struct Fields {
  std::string_view payload;
  std::string_view target;  ///< empty where none is expected
  std::vector<std::string_view> options;
};

/// The trimmed parts between commas; one at least.
[[nodiscard]] std::vector<std::string_view> split_at_commas(std::string_view text);

/// `rest` follows the type and its comma. Nothing: a field is missing or empty.
[[nodiscard]] std::optional<Fields> cut(AtomKind kind, std::string_view rest, bool with_target);

/// Where the parenthesis that holds an atom closes; `from` lies behind the type's comma. A regex
/// may hold escaped parentheses and such in classes. npos: nowhere.
[[nodiscard]] std::size_t find_closing(std::string_view text, std::size_t from,
                                       bool regex) noexcept;

}  // namespace sluice::model::rule_text
