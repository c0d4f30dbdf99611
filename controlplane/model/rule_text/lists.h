// rule_text/lists.h - payloads that are lists: "a/b", "80/443/8000-8100".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "controlplane/model/rule_text/outcome.h"
#include "proto/common/text.h"

namespace sluice::model::rule_text {

/// Calls `take(item)` for the trimmed parts of "a/b"; false as soon as it returns false.
template <class F>
bool for_each_item(std::string_view text, const F& take) {
  while (true) {
    const std::size_t cut = text.find('/');
    if (!take(trim(text.substr(0, cut)))) return false;
    if (cut == std::string_view::npos) return true;
    text.remove_prefix(cut + 1);
  }
}

/// More than `most` of them.
[[nodiscard]] std::unexpected<PayloadFault> too_many(std::size_t most, const char* what);

/// Also with commas, as the next two.
[[nodiscard]] Outcome read_ports(std::string_view text);
[[nodiscard]] Outcome read_dscp(std::string_view text);
[[nodiscard]] Outcome read_user_ids(std::string_view text);
[[nodiscard]] Outcome read_names(std::string_view text);
/// What a client may speak.
[[nodiscard]] Outcome read_protocols(std::string_view text);
/// std::monostate: only types that are not built, so that no such listener is open.
[[nodiscard]] Outcome read_in_types(std::string_view text);

}  // namespace sluice::model::rule_text
