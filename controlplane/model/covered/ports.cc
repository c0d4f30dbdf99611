#include "controlplane/model/covered/ports.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::model::covered {
namespace {

std::vector<PortRange> joined(std::vector<PortRange> ranges) {
  std::ranges::sort(ranges, {}, &PortRange::first);
  std::vector<PortRange> out;
  for (const PortRange& range : ranges) {
    if (!out.empty() && range.first <= std::uint32_t{out.back().last} + 1)
      out.back().last = std::max(out.back().last, range.last);
    else
      out.push_back(range);
  }
  return out;
}

}  // namespace

void Ports::add(std::vector<PortRange> ranges, std::uint32_t line) {
  for (const PortRange& range : joined(std::move(ranges))) add_one(range, line);
}

void Ports::add_one(const PortRange& range, std::uint32_t line) {
  if (holder_of(range) != nullptr) return;
  // Those that lie in the new one say nothing any more.
  auto from = widest_.lower_bound(range.first);
  auto to = from;
  while (to != widest_.end() && to->second.last <= range.last) ++to;
  widest_.erase(from, to);
  widest_.emplace(range.first, Reach{range.last, line});
}

const Ports::Reach* Ports::holder_of(const PortRange& range) const noexcept {
  const auto after = widest_.upper_bound(range.first);
  if (after == widest_.begin()) return nullptr;
  const Reach& reach = std::prev(after)->second;
  return reach.last >= range.last ? &reach : nullptr;
}

std::optional<std::uint32_t> Ports::find(const std::vector<PortRange>& ranges) const {
  std::optional<std::uint32_t> line;
  for (const PortRange& range : ranges) {
    const Reach* reach = holder_of(range);
    if (reach == nullptr || (line && *line != reach->line)) return std::nullopt;
    line = reach->line;
  }
  return line;
}

}  // namespace sluice::model::covered
