#include <string_view>
#include <unordered_set>

#include "dataplane/route/check.h"
#include "proto/ruleset/bounds.h"

namespace sluice::route {
namespace {

Check check_line(const contract::RuleLine& line, const std::string& at,
                 std::size_t outbound_count) {
  if (line.outbound >= outbound_count) return refuse(at + ".outbound", "names no outbound");
  if (line.type.empty() || !is_shown_text(line.type, kMaxDisplayName_bytes))
    return refuse(at + ".type", "must be 1 to 256 bytes of valid UTF-8");
  if (!is_shown_text(line.payload, kMaxPayload_bytes))
    return refuse(at + ".payload", "must be at most 1024 bytes of valid UTF-8");
  if (!is_shown_text(line.list, kMaxDisplayName_bytes))
    return refuse(at + ".list", "must be at most 256 bytes of valid UTF-8");
  return {};
}

}  // namespace

Check check_rules(const contract::Manifest& manifest) {
  const auto& rules = manifest.rules;
  if (rules.size() > ruleset::kMaxLines) return refuse("rules", "has too many items");
  // The list proper, then one list after the other: what counts misses relies on it.
  std::unordered_set<std::string_view> lists;
  std::string_view current;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (auto wrong = check_line(rules[i], place("rules", i), manifest.outbounds.size()))
      return wrong;
    if (rules[i].list == current) continue;
    current = rules[i].list;
    if (current.empty() || !lists.insert(current).second)
      return refuse(place("rules", i) + ".list", "stands apart from the rest of its list");
  }
  return {};
}

}  // namespace sluice::route
