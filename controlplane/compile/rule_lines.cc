#include "controlplane/compile/rule_lines.h"

#include <string>
#include <string_view>

#include "controlplane/compile/used_lists.h"

namespace sluice::compile {
namespace {

// What a line of the contract may show. Longer ones are logic with dozens of conditions.
constexpr std::size_t kShown_bytes = 1'024;
constexpr std::string_view kEllipsis = "…";

/// Cut between characters.
std::string shown(const std::string& payload) {
  if (payload.size() <= kShown_bytes) return payload;
  std::size_t end = kShown_bytes - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(payload[end]) & 0xc0U) == 0x80U) --end;
  return payload.substr(0, end).append(kEllipsis);
}

void add_lines(const std::vector<model::Rule>& rules, const std::string& list,
               const Outbounds& outbounds, std::vector<contract::RuleLine>& out) {
  for (const model::Rule& rule : rules)
    out.push_back({std::string(model::api_name(rule)), shown(rule.payload_text),
                   rule.sub_rule ? outbounds.pass : outbounds.of(rule.target), rule.index, list});
}

}  // namespace

std::vector<NumberedList> numbered_lists(const model::Config& config) {
  std::vector<NumberedList> out;
  auto next = static_cast<std::uint32_t>(config.rules.size());
  for (const model::SubRules* list : used_lists(config)) {
    out.push_back({list, next});
    next += static_cast<std::uint32_t>(list->rules.size());
  }
  return out;
}

std::vector<contract::RuleLine> rule_lines(const model::Config& config,
                                           const Outbounds& outbounds) {
  std::vector<contract::RuleLine> out;
  out.reserve(config.rules.size());
  add_lines(config.rules, {}, outbounds, out);
  for (const NumberedList& list : numbered_lists(config))
    add_lines(list.list->rules, list.list->name, outbounds, out);
  return out;
}

}  // namespace sluice::compile
