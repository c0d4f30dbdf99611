// `sniffer:`, with the two forms in which files name what is looked for.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "controlplane/model/bounds.h"
#include "controlplane/model/parse_rule.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "controlplane/model/rule_text/payload.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

struct Row {
  std::string_view name;
  SniffPorts Sniffer::* part;
  std::uint16_t port;  ///< when none is written
};
constexpr Row kRows[] = {
    {"HTTP", &Sniffer::http, 80}, {"TLS", &Sniffer::tls, 443}, {"QUIC", &Sniffer::quic, 443}};

const Row* find_row(std::string_view name) noexcept {
  const auto* const found =
      std::ranges::find_if(kRows, [&](const Row& row) { return iequals(row.name, name); });
  return found == std::end(kRows) ? nullptr : found;
}

void refuse_protocol(const Fields& at, const Place& place, std::string_view name) {
  at.error(place, quote(name) + " is not a protocol whose host can be sniffed",
           "write HTTP, TLS or QUIC");
}

/// A regular expression for a pattern with `*` labels.
std::string regex_of(std::string_view pattern) {
  std::string out = "^";
  if (pattern.starts_with("+.")) {
    out += "(.+\\.)?";
    pattern.remove_prefix(2);
  } else if (pattern.starts_with('.')) {
    out += ".+\\.";
    pattern.remove_prefix(1);
  }
  for (const char c : pattern) {
    if (c == '*')
      out += "[^.]+";
    else if (c == '.')
      out += "\\.";
    else
      out += c;
  }
  return out + "$";
}

/// `pattern` came from to_ascii_pattern().
Atom name_atom(const std::string& pattern) {
  Atom out;
  if (pattern.find('*') != std::string::npos) {
    out.kind = AtomKind::domain_regex;
    out.payload = Regex{regex_of(pattern)};
  } else if (pattern.starts_with("+.")) {
    out.kind = AtomKind::domain_suffix;
    out.payload = pattern.substr(2);
  } else if (pattern.starts_with('.')) {
    out.kind = AtomKind::domain_wildcard;
    out.payload = "*" + pattern;
  } else {
    out.kind = AtomKind::domain;
    out.payload = pattern;
  }
  return out;
}

enum class Holds : std::uint8_t { names, sources, destinations };

class ListReader {
 public:
  ListReader(const Fields& sniffer, const std::vector<RuleProvider>& providers, Holds holds,
             SniffList& out)
      : sniffer_(sniffer), providers_(providers), holds_(holds), out_(out) {}

  void read(std::string_view key) {
    for (const Value& v : sniffer_.texts(key)) read_entry(v);
  }

 private:
  void read_entry(const Value& v) {
    const std::string_view text = trim(v.text());
    const bool names = holds_ == Holds::names;
    if (const auto sets = behind(text, "rule-set:")) return read_sets(v, AtomKind::rule_set, *sets);
    if (const auto sets = behind(text, names ? "geosite:" : "geoip:"))
      return read_sets(v, names ? AtomKind::geosite : AtomKind::geoip, *sets);
    if (names)
      read_name(v, text);
    else
      add_payload(v, AtomKind::ip_cidr, text, text);
  }

  static std::optional<std::string_view> behind(std::string_view text, std::string_view word) {
    if (text.size() < word.size() || !iequals(text.substr(0, word.size()), word))
      return std::nullopt;
    return text.substr(word.size());
  }

  /// "geosite:cn,private".
  void read_sets(const Value& v, AtomKind kind, std::string_view names) {
    while (true) {
      const std::size_t cut = names.find(',');
      const std::string_view name = trim(names.substr(0, cut));
      if (name.empty()) {
        sniffer_.error(v.place(), quote(v.text()) + " names no set", "write its name behind the :");
        return;
      }
      if (kind != AtomKind::rule_set || provider_fits(v, name))
        add_payload(v, kind, name, v.text());
      if (cut == std::string_view::npos) return;
      names.remove_prefix(cut + 1);
    }
  }

  bool provider_fits(const Value& v, std::string_view name) {
    const auto found = std::ranges::find(providers_, name, &RuleProvider::name);
    if (found == providers_.end()) {
      Nearest nearest(name);
      for (const RuleProvider& provider : providers_) nearest.offer(provider.name);
      sniffer_.error(v.place(), "rule provider " + quote(name) + " does not exist",
                     nearest.remedy("add it under rule-providers:, or correct the name"));
      return false;
    }
    const bool names = holds_ == Holds::names;
    if (found->behavior != (names ? RuleBehavior::ipcidr : RuleBehavior::domain)) return true;
    sniffer_.warning(
        v.place(),
        "rule provider " + quote(name) + (names ? " holds addresses, no names" : " holds names"),
        names ? "it matches nothing here: name one of behavior domain"
              : "it matches nothing here: name one of behavior ipcidr");
    return true;
  }

  void read_name(const Value& v, std::string_view text) {
    const auto pattern = to_ascii_pattern(text);
    if (pattern) {
      add(name_atom(*pattern), text);
    } else if (pattern.error().code == Errc::unsupported) {
      sniffer_.error(v.place(), quote(text) + " is not a pattern of names",
                     "`*` is one whole label; `+.` and `.` only lead");
    } else {
      sniffer_.warning(v.place(), "no name can be like " + quote(text), "the entry is skipped");
    }
  }

  void add_payload(const Value& v, AtomKind kind, std::string_view text, std::string_view written) {
    std::vector<RuleNote> notes;
    auto payload = rule_text::read_payload(kind, text, notes);
    if (!payload) {
      sniffer_.error(v.place(), payload.error().problem, payload.error().remedy);
      return;
    }
    for (const RuleNote& note : notes) sniffer_.warning(v.place(), note.problem, note.remedy);
    if (std::holds_alternative<std::monostate>(*payload)) return;
    Atom atom;
    atom.kind = kind;
    atom.payload = std::move(*payload);
    add(std::move(atom), written);
  }

  void add(Atom atom, std::string_view written) {
    if (takes_address_options(atom.kind)) {
      atom.no_resolve = true;
      atom.source = holds_ == Holds::sources;
    }
    out_.written.emplace_back(written);
    out_.atoms.push_back(std::move(atom));
  }

  const Fields& sniffer_;
  const std::vector<RuleProvider>& providers_;
  Holds holds_;
  SniffList& out_;
};

/// Texts such as "80" and "8080-8090", any number of them in one item.
std::vector<PortRange> read_ports(const Fields& fields, std::string_view key) {
  std::vector<PortRange> out;
  for (const Value& v : fields.texts(key)) {
    const auto ports = parse_ports(v.text(), kMaxItems);
    if (ports)
      out.insert(out.end(), ports->begin(), ports->end());
    else
      fields.error(v.place(), quote(v.text()) + " is not a port or a range of them",
                   "write for example 443 or 8080-8090");
  }
  return out;
}

void fill_ports(SniffPorts& out, const Row& row, std::vector<PortRange> ports) {
  out.ports = std::move(ports);
  if (out.ports.empty()) out.ports.push_back({row.port, row.port});
}

void read_protocol(const Fields& map, const Member& member, Sniffer& out) {
  const Value value{member.value, join_path(map.path(), member.key)};
  const Row* row = find_row(member.key);
  if (row == nullptr) return refuse_protocol(map, {member.position(), value.path}, member.key);
  SniffPorts& part = out.*row->part;
  if (member.value->is_null()) return fill_ports(part, *row, {});
  if (!member.value->is_mapping()) {
    map.error(value.place(), "is " + std::string(shape_of(*member.value)) + ", a map is needed",
              "write `ports: [443]` below it");
    return;
  }
  const Fields fields(*member.value, value.path, map.report());
  fill_ports(part, *row, read_ports(fields, "ports"));
  fields.flag("override-destination", part.override_destination);
  for (const Member& key : member.value->members)
    if (key.key != "ports" && key.key != "override-destination")
      fields.warning({key.position(), join_path(value.path, key.key)}, "unknown key",
                     "it is ignored: write ports or override-destination");
}

/// `sniffing: [tls]` and `port-whitelist`, of before there was `sniff`.
void read_old_forms(const Fields& sniffer, bool new_form, Sniffer& out) {
  for (const std::string_view key : {"sniffing", "port-whitelist"}) {
    if (!sniffer.has(key)) continue;
    sniffer.warning(sniffer.place(key), new_form ? "has no effect beside sniff" : "is an old form",
                    new_form ? "remove it" : "write sniff: {TLS: {ports: [443]}}");
  }
  if (new_form) return;
  const std::vector<PortRange> ports = read_ports(sniffer, "port-whitelist");
  for (const Value& v : sniffer.texts("sniffing")) {
    if (const Row* row = find_row(trim(v.text())))
      fill_ports(out.*row->part, *row, ports);
    else
      refuse_protocol(sniffer, v.place(), v.text());
  }
}

}  // namespace

void read_sniffer(const Fields& top, const std::vector<RuleProvider>& providers, Sniffer& out) {
  const auto sniffer = top.map("sniffer");
  if (!sniffer) return;
  sniffer->flag("enable", out.enable);
  bool override_destination = true;
  sniffer->flag("override-destination", override_destination);
  for (const Row& row : kRows) (out.*row.part).override_destination = override_destination;
  const auto sniff = sniffer->map("sniff");
  const bool new_form = sniff && !sniff->node().members.empty();
  if (new_form)
    for (const Member& member : sniff->node().members) read_protocol(*sniff, member, out);
  read_old_forms(*sniffer, new_form, out);
  sniffer->flag("force-dns-mapping", out.force_dns_mapping);
  sniffer->flag("parse-pure-ip", out.parse_pure_ip);
  ListReader(*sniffer, providers, Holds::names, out.force_domain).read("force-domain");
  ListReader(*sniffer, providers, Holds::names, out.skip_domain).read("skip-domain");
  ListReader(*sniffer, providers, Holds::sources, out.skip_src_address).read("skip-src-address");
  ListReader(*sniffer, providers, Holds::destinations, out.skip_dst_address)
      .read("skip-dst-address");
  const bool nothing = out.http.ports.empty() && out.tls.ports.empty() && out.quic.ports.empty();
  if (out.enable && nothing)
    sniffer->warning(sniffer->place("enable"), "nothing is looked for, as there is no sniff",
                     "write sniff: {HTTP: {}, TLS: {}, QUIC: {}}");
}

}  // namespace sluice::model
