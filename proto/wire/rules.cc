#include "proto/wire/rules.h"

#include <algorithm>
#include <utility>

#include "proto/wire/bounds.h"
#include "proto/wire/scope.h"

namespace sluice::wire {

std::vector<v1::RulePage> encode_pages(const contract::RuleStates& in) {
  std::vector<v1::RulePage> pages;
  std::size_t at = 0;
  do {
    v1::RulePage& page = pages.emplace_back();
    page.set_generation(in.generation);
    page.set_first(static_cast<std::uint32_t>(at));
    page.set_unmatched(in.unmatched);
    for (const std::size_t end = std::min(at + kMaxPageRules, in.lines.size()); at < end; ++at) {
      const contract::RuleState& line = in.lines[at];
      page.add_hits(line.hits);
      page.add_misses(line.misses);
      page.add_last_hit_s(line.last_hit_s);
      if (line.disabled) page.add_disabled(static_cast<std::uint32_t>(at));
    }
  } while (at < in.lines.size());
  return pages;
}

Decoded<contract::RuleStates> decode(const v1::RulePage& in, contract::RuleStates before) {
  Finding found;
  const Scope root(found);
  const auto count = static_cast<std::size_t>(in.hits_size());
  const std::size_t first = before.lines.size();
  if (first != 0 && in.generation() != before.generation)
    root.refuse("generation", "is not that of the page before");
  if (in.first() != first) root.refuse("first", "does not follow the page before");
  if (in.misses_size() != in.hits_size()) root.refuse("misses", "has another size than hits");
  if (in.last_hit_s_size() != in.hits_size())
    root.refuse("last_hit_s", "has another size than hits");
  if (!root.fits(count, "hits", kMaxPageRules) || !root.fits(first + count, "hits", kMaxRules) ||
      root.refused())
    return found.take(std::move(before));
  before.generation = in.generation();
  before.unmatched = in.unmatched();
  before.lines.reserve(first + count);
  for (int i = 0; i < in.hits_size(); ++i)
    before.lines.push_back({in.hits(i), in.misses(i), in.last_hit_s(i), false});
  for (const std::uint32_t line : in.disabled()) {
    if (line < first || line >= before.lines.size()) {
      root.refuse("disabled", "names a line of another page");
      break;
    }
    before.lines[line].disabled = true;
  }
  return found.take(std::move(before));
}

void encode(const contract::RuleSwitches& in, v1::SetRulesRequest* out) {
  out->set_generation(in.generation);
  for (const contract::RuleSwitch& line : in.lines) {
    v1::RuleSwitch* item = out->add_lines();
    item->set_index(line.index);
    item->set_disabled(line.disabled);
  }
}

Decoded<contract::RuleSwitches> decode(const v1::SetRulesRequest& in) {
  Finding found;
  const Scope root(found);
  contract::RuleSwitches out;
  out.generation = in.generation();
  if (in.lines().empty()) root.refuse("lines", "is empty");
  if (root.fits(static_cast<std::size_t>(in.lines_size()), "lines", kMaxSwitches)) {
    for (const v1::RuleSwitch& line : in.lines())
      out.lines.push_back({line.index(), line.disabled()});
  }
  return found.take(std::move(out));
}

}  // namespace sluice::wire
