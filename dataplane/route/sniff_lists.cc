#include "dataplane/route/sniff_lists.h"

#include <algorithm>

namespace sluice::route {
namespace {

/// Whether `behind` says of every line of the window on which side of the rules it stands.
bool stands(const ruleset::View& view, std::uint32_t entry, std::size_t rules, bool behind) {
  const ruleset::Window window = view.window(entry);
  for (std::uint32_t position = window.first; position < window.end; ++position) {
    const ruleset::Slot slot = view.slot(position);
    if ((slot.line >= rules) != behind) return false;
    for (std::uint32_t g = slot.group; g != ruleset::kNone; g = view.group(g).outer)
      if (behind || view.group(g).line >= rules) return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> sniff_entries(const contract::Sniffer& sniffer) {
  std::vector<std::uint32_t> out;
  for (const auto& entry :
       {sniffer.force_domain, sniffer.skip_domain, sniffer.skip_source, sniffer.skip_destination})
    if (entry) out.push_back(*entry);
  return out;
}

Check check_sniff_lists(const contract::Manifest& manifest, const ruleset::View& view) {
  const std::vector<std::uint32_t> lists = sniff_entries(manifest.sniffer);
  if (lists.empty()) return {};  // the block has no line but those of the rules
  const std::size_t rules = manifest.rules.size();
  for (const std::uint32_t entry : lists)
    if (entry == 0 || entry >= view.entry_count() || !stands(view, entry, rules, true))
      return refuse("sniffer", "names an entry that holds no list of its own");
  for (std::uint32_t entry = 0; entry < view.entry_count(); ++entry)
    if (std::ranges::find(lists, entry) == lists.end() && !stands(view, entry, rules, false))
      return refuse("ruleset", "an entry of its block leads from rules to a list of the sniffer");
  const auto leads_there = [&lists](const std::optional<std::uint32_t>& entry) {
    return entry && std::ranges::find(lists, *entry) != lists.end();
  };
  for (std::size_t i = 0; i < manifest.outbounds.size(); ++i)
    if (leads_there(manifest.outbounds[i].rematch_entry))
      return refuse(place("outbounds", i) + ".rematch_entry", "is a list of the sniffer");
  for (std::size_t i = 0; i < manifest.listeners.size(); ++i)
    if (leads_there(manifest.listeners[i].rule_entry))
      return refuse(place("listeners", i) + ".rule_entry", "is a list of the sniffer");
  return {};
}

std::uint32_t rules_end(const contract::Sniffer& sniffer, const ruleset::View& view) {
  std::uint32_t end = view.position_count();
  for (const std::uint32_t entry : sniff_entries(sniffer))
    end = std::min(end, view.window(entry).first);
  return end;
}

bool is_listed(const Snapshot& snapshot, const std::optional<std::uint32_t>& entry,
               const ruleset::Key& key) noexcept {
  if (!entry) return false;
  ruleset::Match::Tools tools = snapshot.match_tools(nullptr);
  tools.disabled = nullptr;  // no line that people can switch
  ruleset::Match match(snapshot.rules(), key, tools, *entry);
  return match.next().outcome == ruleset::Match::Outcome::line;
}

}  // namespace sluice::route
