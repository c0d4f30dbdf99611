#include "controlplane/model/rule_text/payload.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controlplane/model/bounds.h"
#include "controlplane/model/read/words.h"
#include "controlplane/model/rule_text/addresses.h"
#include "controlplane/model/rule_text/lists.h"
#include "controlplane/model/rule_text/regex_syntax.h"
#include "controlplane/model/rule_text/time_table.h"
#include "proto/common/text.h"

namespace sluice::model::rule_text {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

Outcome read_name(std::string_view text) {
  auto out = to_ascii_name(text);
  if (!out) return wrong("no name can be like " + quote(text), "write a domain name");
  return std::move(*out);
}

/// "+.x" and ".x" are often written for a suffix; both mean the suffix x.
Outcome read_suffix(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return read_name(text);
}

/// A word that is not ASCII is compared in its A-label form, which holds whole labels.
Outcome read_keyword(std::string_view text) {
  std::string word = lower(text);
  if (std::ranges::all_of(word, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return word;
  auto name = to_ascii_name(word);
  if (!name) return wrong("no name can hold " + quote(text), "write a part of a domain name");
  return std::move(*name);
}

Outcome read_text(std::string_view text) {
  if (text.size() <= kMaxText) return std::string(text);
  return wrong("is longer than " + std::to_string(kMaxText) + " bytes", "shorten it");
}

Outcome read_domain_wildcard(std::string_view text) {
  auto out = to_ascii_glob(text);
  if (out) return std::move(*out);
  return wrong("no name can be like " + quote(text),
               "write a domain name with * for any run of characters and ? for one");
}

Outcome read_geosite(std::string_view text) {
  const auto attributes = static_cast<std::size_t>(std::ranges::count(text, '@'));
  const std::string_view name = text.starts_with('!') ? text.substr(1) : text;
  if (name.empty() || name.starts_with('@') || name.ends_with('@') ||
      name.find("@@") != std::string_view::npos || attributes > kMaxGeoAttributes)
    return wrong(quote(text) + " is not a category", "write for example google or google@cn");
  return lower(text);
}

Outcome read_country(std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != '/' && c != '@'; });
  if (!plain) return wrong(quote(text) + " is not a country", "write its code, or lan");
  return lower(text);
}

Outcome read_prefix(std::string_view text, std::vector<RuleNote>& notes) {
  const auto out = Prefix::parse(text);
  if (out) return *out;
  if (out.error().code != Errc::unsupported)
    return wrong(quote(text) + " is not an address range",
                 "write for example 10.0.0.0/8 or fd00::/8");
  notes.push_back({RuleNote::Topic::matches_nothing, "mapped addresses are compared as IPv4",
                   "no address is in " + quote(text)});
  return std::monostate{};
}

Outcome read_network(std::string_view text) {
  if (iequals(text, "tcp")) return Network::tcp;
  if (iequals(text, "udp")) return Network::udp;
  return wrong(quote(text) + " is not a network", "write tcp or udp");
}

Outcome read_ways_in(std::string_view text, std::vector<RuleNote>& notes) {
  auto out = read_in_types(text);
  if (out && std::holds_alternative<std::monostate>(*out))
    notes.push_back({RuleNote::Topic::matches_nothing, quote(text) + " is known, not built yet",
                     "no flow comes in that way"});
  return out;
}

Outcome read_regex(std::string_view text, std::vector<RuleNote>& notes) {
  auto syntax = check_regex(text);
  if (!syntax) return std::unexpected(std::move(syntax.error()));
  if (syntax->engine == RegexEngine::pcre2)
    notes.push_back({RuleNote::Topic::slow_pattern,
                     "RE2 has no " + syntax->slow_because +
                         ", so the pattern runs on PCRE2, which goes back and tries again",
                     "it may take many times as long, and matches nothing once it reaches its "
                     "limits: write it without look-around and back references if you can"});
  return Regex{std::string(text), syntax->engine};
}

Outcome read_time(std::string_view text) {
  auto table = parse_time_table(text);
  if (table) return std::move(*table);
  return std::unexpected(std::move(table.error()));
}

}  // namespace

bool is_regex(AtomKind kind) noexcept {
  return kind == AtomKind::domain_regex || kind == AtomKind::process_name_regex ||
         kind == AtomKind::process_path_regex;
}

bool is_number_list(AtomKind kind) noexcept {
  return kind == AtomKind::dst_port || kind == AtomKind::src_port || kind == AtomKind::in_port ||
         kind == AtomKind::dscp || kind == AtomKind::uid;
}

Outcome read_payload(AtomKind kind, std::string_view text, std::vector<RuleNote>& notes) {
  switch (kind) {
    case AtomKind::domain:
      return read_name(text);
    case AtomKind::domain_suffix:
      return read_suffix(text);
    case AtomKind::domain_keyword:
      return read_keyword(text);
    case AtomKind::domain_wildcard:
      return read_domain_wildcard(text);
    case AtomKind::geosite:
      return read_geosite(text);
    case AtomKind::ip_cidr:
      return read_prefix(text, notes);
    case AtomKind::ip_suffix:
      return read_ip_suffix(text);
    case AtomKind::geoip:
      return read_country(text);
    case AtomKind::ip_asn:
      return read_as_number(text);
    case AtomKind::dst_port:
    case AtomKind::src_port:
    case AtomKind::in_port:
      return read_ports(text);
    case AtomKind::network:
      return read_network(text);
    case AtomKind::in_type:
      return read_ways_in(text, notes);
    case AtomKind::in_name:
    case AtomKind::in_user:
    case AtomKind::rematch_name:
      return read_names(text);
    case AtomKind::protocol:
      return read_protocols(text);
    case AtomKind::dscp:
      return read_dscp(text);
    case AtomKind::uid:
      return read_user_ids(text);
    case AtomKind::src_mac:
      return read_mac_addresses(text);
    case AtomKind::time:
      return read_time(text);
    case AtomKind::domain_regex:
    case AtomKind::process_name_regex:
    case AtomKind::process_path_regex:
      return read_regex(text, notes);
    case AtomKind::process_name:
    case AtomKind::process_name_wildcard:
    case AtomKind::process_path:
    case AtomKind::process_path_wildcard:
    case AtomKind::rule_set:
      break;
  }
  return read_text(text);
}

}  // namespace sluice::model::rule_text
