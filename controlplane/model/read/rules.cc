#include <algorithm>
#include <optional>

#include "controlplane/model/keys/types.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

// As many as other programs take in one port rule.
constexpr std::size_t kMostPorts = 28;

/// A line cut at its commas: TYPE | payload | target | options.
struct Line {
  std::string_view type;
  std::string_view payload;
  std::string_view target;
  std::vector<std::string_view> options;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = text.find(',');
    out.push_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

bool is_option(std::string_view part) noexcept {
  return iequals(part, "no-resolve") || iequals(part, "src");
}

bool takes_ports(RuleType type) noexcept {
  return type == RuleType::dst_port || type == RuleType::src_port;
}

/// Which part is which. A port list may be written with commas, so there the target is the last
/// part; elsewhere it is the third.
std::optional<Line> cut(std::string_view text, RuleType type) {
  const auto parts = split(text);
  Line line{parts[0], {}, {}, {}};
  if (type == RuleType::match) {
    if (parts.size() < 2) return std::nullopt;
    line.target = parts[1];
    line.options.assign(parts.begin() + 2, parts.end());
  } else {
    std::size_t target = 2;
    if (takes_ports(type)) {
      target = parts.size() - 1;
      while (target > 0 && is_option(parts[target])) --target;
    }
    if (target < 2 || parts.size() <= target) return std::nullopt;
    const std::string_view& last = parts[target - 1];
    line.payload = {parts[1].data(),
                    static_cast<std::size_t>(last.data() + last.size() - parts[1].data())};
    line.target = parts[target];
    line.options.assign(parts.begin() + static_cast<std::ptrdiff_t>(target) + 1, parts.end());
  }
  if (line.target.empty() || (line.payload.empty() && type != RuleType::match)) return std::nullopt;
  return line;
}

/// Turns one line into a Rule; what is wrong with it is reported.
class RuleReader {
 public:
  RuleReader(const Fields& top, Place place, std::string_view text)
      : top_(top), place_(std::move(place)), text_(text) {}

  /// Nothing: an error, or a line that is skipped with a warning.
  std::optional<Rule> read() {
    const std::string_view type_text = trim(text_.substr(0, text_.find(',')));
    const auto types = keys::rule_types();
    const auto row = std::ranges::find_if(
        types, [&](const keys::RuleTypeName& t) { return iequals(t.name, type_text); });
    if (row == types.end()) return unsupported(type_text);
    if (!row->type) {
      top_.warning(place_, "rule type " + std::string(row->name) + " is known, not built yet",
                   "the line is skipped: " + quote(text_));
      return std::nullopt;
    }
    const auto line = cut(text_, *row->type);
    if (!line) {
      wrong("is not complete",
            *row->type == RuleType::match ? "write MATCH,target" : "write TYPE,payload,target");
      return std::nullopt;
    }
    Rule rule;
    rule.type = *row->type;
    rule.payload_text = line->payload;
    rule.target = line->target;
    rule.at = place_.at;
    if (!read_payload(line->payload, rule)) return std::nullopt;
    read_options(line->options, rule);
    return rule;
  }

 private:
  std::nullopt_t unsupported(std::string_view type) {
    Nearest nearest(type);
    for (const auto& known : keys::rule_types()) nearest.offer(known.name);
    wrong("unsupported rule type " + quote(type),
          nearest.remedy("write TYPE,payload,target with a known type"));
    return std::nullopt;
  }

  void wrong(const std::string& problem, std::string_view remedy) {
    top_.error(place_, quote(text_) + ": " + problem, remedy);
  }

  bool read_payload(std::string_view text, Rule& rule) {
    switch (rule.type) {
      case RuleType::domain:
      case RuleType::domain_suffix:
        return read_name(text, rule);
      case RuleType::domain_keyword:
        return read_keyword(text, rule);
      case RuleType::ip_cidr:
      case RuleType::src_ip_cidr:
        return read_prefix(text, rule);
      case RuleType::dst_port:
      case RuleType::src_port:
        return read_ports(text, rule);
      case RuleType::network:
        return read_network(text, rule);
      case RuleType::in_type:
        return read_in_types(text, rule);
      case RuleType::match:
        break;
    }
    return true;
  }

  bool read_name(std::string_view text, Rule& rule) {
    // "+.x" and ".x" are often written for a suffix; both mean the suffix x.
    if (rule.type == RuleType::domain_suffix) {
      if (text.starts_with('+')) text.remove_prefix(1);
      if (text.starts_with('.')) text.remove_prefix(1);
    }
    auto name = to_ascii_name(text);
    if (!name) {
      wrong("no name can be like " + quote(text), "write a domain name");
      return false;
    }
    rule.payload = std::move(*name);
    return true;
  }

  /// Lower case; a word that is not ASCII is compared in its A-label form, which holds whole
  /// labels.
  bool read_keyword(std::string_view text, Rule& rule) {
    std::string word(text);
    std::ranges::transform(word, word.begin(), to_lower);
    if (std::ranges::any_of(word, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      auto name = to_ascii_name(word);
      if (!name) {
        wrong("no name can hold " + quote(text), "write a part of a domain name");
        return false;
      }
      word = std::move(*name);
    }
    rule.payload = std::move(word);
    return true;
  }

  bool read_prefix(std::string_view text, Rule& rule) {
    const auto prefix = Prefix::parse(text);
    if (prefix) {
      rule.payload = *prefix;
      return true;
    }
    if (prefix.error().code == Errc::unsupported) {
      top_.warning(place_, quote(text_) + ": mapped addresses are compared as IPv4",
                   "the line matches nothing and is skipped");
    } else {
      wrong(quote(text) + " is not an address range", "write for example 10.0.0.0/8 or fd00::/8");
    }
    return false;
  }

  bool read_ports(std::string_view text, Rule& rule) {
    auto ports = parse_ports(text, kMostPorts);
    if (!ports) {
      wrong(ports.error().code == Errc::too_large
                ? "more than " + std::to_string(kMostPorts) + " port ranges"
                : quote(text) + " is not a list of ports",
            "write for example 80/443/8000-8100");
      return false;
    }
    rule.payload = std::move(*ports);
    return true;
  }

  bool read_network(std::string_view text, Rule& rule) {
    if (!iequals(text, "tcp") && !iequals(text, "udp")) {
      wrong(quote(text) + " is not a network", "write tcp or udp");
      return false;
    }
    rule.payload = iequals(text, "tcp") ? Network::tcp : Network::udp;
    return true;
  }

  /// "HTTP/SOCKS". Types that are known and not built match nothing, as no such listener is open.
  bool read_in_types(std::string_view text, Rule& rule) {
    std::vector<contract::InboundType> types;
    bool all_known = true;
    for (std::string_view rest = text; all_known; rest.remove_prefix(rest.find('/') + 1)) {
      all_known = add_in_type(trim(rest.substr(0, rest.find('/'))), types);
      if (rest.find('/') == std::string_view::npos) break;
    }
    if (!all_known) return false;
    if (types.empty()) {
      top_.warning(place_, quote(text) + " is known, not built yet",
                   "the line is skipped: " + quote(text_));
      return false;
    }
    rule.payload = std::move(types);
    return true;
  }

  bool add_in_type(std::string_view name, std::vector<contract::InboundType>& out) {
    Nearest nearest(name);
    bool found = false;
    for (const keys::InType& row : keys::in_types()) {
      nearest.offer(row.name);
      if (!iequals(row.name, name)) continue;
      found = true;
      if (row.type && std::ranges::find(out, *row.type) == out.end()) out.push_back(*row.type);
    }
    if (!found) wrong(quote(name) + " is not an inbound type", nearest.remedy("correct it"));
    return found;
  }

  void read_options(const std::vector<std::string_view>& options, Rule& rule) {
    for (const std::string_view option : options) {
      if (iequals(option, "no-resolve")) {
        rule.no_resolve = rule.type == RuleType::ip_cidr;
      } else if (iequals(option, "src") && rule.type == RuleType::ip_cidr) {
        rule.type = RuleType::src_ip_cidr;
      } else {
        Nearest nearest(option);
        nearest.offer("no-resolve");
        top_.warning(place_, quote(text_) + ": unknown option " + quote(option),
                     nearest.remedy("it is ignored: remove it"));
      }
    }
    if (rule.type == RuleType::src_ip_cidr) rule.no_resolve = false;
  }

  const Fields& top_;
  Place place_;
  std::string_view text_;
};

}  // namespace

void read_rules(const Fields& top, std::vector<Rule>& out, References& references) {
  const auto list = top.value("rules");
  if (!list) return;
  if (!list->node->is_sequence()) {
    top.error(list->place(), "is " + std::string(shape_of(*list->node)) + ", a list is needed",
              "write one `- TYPE,payload,target` per line");
    return;
  }
  for (std::size_t i = 0; i < list->node->items.size(); ++i) {
    const Node& item = *list->node->items[i];
    const Place place{item.position(), join_path("rules", i)};
    if (!item.is_scalar() || item.is_null()) {
      top.error(place, item.is_scalar() ? "is empty" : "is " + std::string(shape_of(item)),
                "write `TYPE,payload,target`, in quotes if it holds `: `");
      continue;
    }
    auto rule = RuleReader(top, place, trim(item.text)).read();
    if (!rule) continue;
    rule->index = static_cast<std::uint32_t>(i);
    references.rules.push_back(place);
    out.push_back(std::move(*rule));
  }
}

}  // namespace sluice::model
