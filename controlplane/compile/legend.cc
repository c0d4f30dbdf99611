#include "controlplane/compile/legend.h"

#include <algorithm>
#include <span>
#include <utility>

#include "controlplane/compile/outbounds.h"
#include "controlplane/compile/rule_lines.h"
#include "controlplane/model/read/report.h"
#include "proto/common/text.h"

namespace sluice::compile {
namespace {

/// "listeners[0].port" in its parts.
struct ManifestPlace {
  std::string_view list;  ///< "listeners"
  std::size_t index = 0;
  std::string_view rest;  ///< ".port"
};

std::optional<ManifestPlace> split(std::string_view place) {
  const std::size_t open = place.find('[');
  const std::size_t close = place.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  const auto index = parse_number(place.substr(open + 1, close - open - 1));
  if (!index) return std::nullopt;
  return ManifestPlace{place.substr(0, open), static_cast<std::size_t>(*index),
                       place.substr(close + 1)};
}

std::string path_of(std::string_view list, std::size_t index, std::string_view rest) {
  return std::string(list) + "[" + std::to_string(index) + "]" + std::string(rest);
}

/// Groups of the file come after the built-ins and the proxies, in its order.
std::optional<model::Place> outbound_place(const Legend& legend, const ManifestPlace& part) {
  if (part.index < kBuiltInCount) return std::nullopt;
  const std::size_t proxy = part.index - kBuiltInCount;
  if (proxy < legend.proxies.size())
    return model::Place{legend.proxies[proxy], path_of("proxies", proxy, part.rest)};
  const std::size_t group = proxy - legend.proxies.size();
  if (group < legend.groups.size())
    return model::Place{legend.groups[group], path_of("proxy-groups", group, part.rest)};
  return std::nullopt;
}

std::span<const Legend::RuleAt> lines_of(const Legend& legend, std::size_t list) {
  const std::size_t first = legend.lists[list].first;
  const bool last = list + 1 == legend.lists.size();
  const std::size_t end = last ? legend.rules.size() : legend.lists[list + 1].first;
  return std::span(legend.rules).subspan(first, end - first);
}

/// Of a rule by its place in the manifest.
model::Place rule_place(const Legend& legend, std::size_t index) {
  const auto behind = std::ranges::upper_bound(legend.lists, index, {}, &Legend::ListAt::first);
  const Legend::ListAt& list = *(behind - 1);
  const Legend::RuleAt& rule = legend.rules[index];
  const std::string path = list.name.empty() ? "rules" : model::join_path("sub-rules", list.name);
  return {rule.at, model::join_path(path, rule.number)};
}

std::optional<model::Place> part_place(const Legend& legend, const ManifestPlace& part) {
  if (part.list == "listeners" && part.index < legend.listeners.size())
    return legend.listeners[part.index];
  if (part.list == "rules" && part.index < legend.rules.size())
    return rule_place(legend, part.index);
  if (part.list == "outbounds") return outbound_place(legend, part);
  return std::nullopt;
}

std::vector<Unbuilt> find_unbuilt(const model::Config& config) {
  std::vector<Unbuilt> out;
  for (const model::Proxy& p : config.proxies)
    if (!p.built()) out.push_back({p.name, p.type_name, p.why_unbuilt, true});
  for (const model::Group& g : config.groups) {
    if (g.acts_as_select)
      out.push_back({g.name, g.type_name, "type " + g.type_name, g.initial.empty()});
    else if (g.members.empty())
      out.push_back({g.name, g.type_name, "its members come from what is not built", true});
  }
  return out;
}

}  // namespace

std::optional<model::Position> Legend::rule(std::int32_t number,
                                            std::string_view list) const noexcept {
  if (number < 0) return std::nullopt;
  const auto wanted = static_cast<std::uint32_t>(number);
  const auto named = std::ranges::find(lists, list, &ListAt::name);
  if (named == lists.end()) return std::nullopt;
  const auto lines = lines_of(*this, static_cast<std::size_t>(named - lists.begin()));
  const auto found = std::ranges::lower_bound(lines, wanted, {}, &RuleAt::number);
  if (found == lines.end() || found->number != wanted) return std::nullopt;
  return found->at;
}

model::Place Legend::place_of(std::string_view manifest_place) const {
  if (manifest_place == "dns.listen") return {dns_listen, "dns.listen"};
  if (manifest_place.starts_with("capture")) return {{}, "sluice." + std::string(manifest_place)};
  if (const auto part = split(manifest_place))
    if (auto found = part_place(*this, *part)) return std::move(*found);
  return {{}, std::string(manifest_place)};
}

model::Diagnostic Legend::refusal(std::string_view manifest_place, std::string_view reason) const {
  model::Place place = place_of(manifest_place);
  model::Diagnostic out;
  out.severity = model::Severity::error;
  out.file = file;
  out.line = place.at.line;
  out.column = place.at.column;
  out.path = std::move(place.path);
  const std::size_t cut = reason.find("; ");
  out.problem = reason.substr(0, cut);
  if (cut != std::string_view::npos) out.remedy = reason.substr(cut + 2);
  return out;
}

Legend make_legend(const model::Config& config, std::string file) {
  Legend out;
  out.file = std::move(file);
  const auto add = [&out](std::string name, const std::vector<model::Rule>& rules) {
    out.lists.push_back({std::move(name), out.rules.size()});
    for (const model::Rule& rule : rules) {
      if (rule.sub_rule) out.jumps.push_back({out.rules.size(), rule.target});
      out.rules.push_back({rule.index, rule.at});
    }
  };
  add({}, config.rules);
  for (const NumberedList& list : numbered_lists(config)) add(list.list->name, list.list->rules);
  for (const model::Listener& l : config.listeners) out.listeners.push_back(l.port_place);
  for (const model::Proxy& proxy : config.proxies) out.proxies.push_back(proxy.at);
  for (const model::Group& group : config.groups) out.groups.push_back(group.at);
  out.dns_listen = config.dns.listen_origin.at;
  out.unbuilt = find_unbuilt(config);
  return out;
}

}  // namespace sluice::compile
