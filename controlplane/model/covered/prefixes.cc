#include "controlplane/model/covered/prefixes.h"

#include <algorithm>
#include <tuple>

namespace sluice::model::covered {

std::vector<Prefixes::Found> Prefixes::find_all() {
  std::ranges::sort(entries_, {}, [](const Entry& e) {
    return std::tuple(e.group, e.prefix.base, e.prefix.length, e.line);
  });
  struct Around {
    const Entry* entry;
    std::uint32_t earliest;  // line; UINT32_MAX: none of those around covers
  };
  std::vector<Found> out;
  std::vector<Around> stack;
  for (const Entry& entry : entries_) {
    const auto holds = [&](const Entry& outer) {
      return outer.group == entry.group && outer.prefix.length <= entry.prefix.length &&
             outer.prefix.contains(entry.prefix.base);
    };
    while (!stack.empty() && !holds(*stack.back().entry)) stack.pop_back();
    const std::uint32_t above = stack.empty() ? UINT32_MAX : stack.back().earliest;
    if (above < entry.line) out.push_back({entry.line, above});
    stack.push_back({&entry, entry.covers ? std::min(above, entry.line) : above});
  }
  return out;
}

}  // namespace sluice::model::covered
