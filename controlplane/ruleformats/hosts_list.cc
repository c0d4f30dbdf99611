#include "controlplane/ruleformats/hosts_list.h"

#include <algorithm>

#include "controlplane/ruleformats/lines.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kBlanks = " \t";

/// Names that every hosts file gives to the machine itself and to its links.
constexpr std::string_view kOwnNames[] = {
    "0.0.0.0",       "broadcasthost",         "ip6-allhosts", "ip6-allnodes",    "ip6-allrouters",
    "ip6-localhost", "ip6-localnet",          "ip6-loopback", "ip6-mcastprefix", "local",
    "localhost",     "localhost.localdomain", "localhost4",   "localhost6"};

bool own_name(std::string_view name) {
  return std::ranges::any_of(kOwnNames,
                             [name](std::string_view own) { return iequals(own, name); });
}

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

}  // namespace

bool feed_hosts_line(std::string_view line, std::uint32_t number, Feed& feed) {
  std::string_view rest = line;
  const std::string_view first = next_word(rest);
  const auto address = IpAddress::parse(first.substr(0, first.find('%')));
  if (!address) return false;
  const bool nowhere = address->is_unspecified() || address->is_loopback();
  for (std::string_view name = next_word(rest); !name.empty(); name = next_word(rest)) {
    if (own_name(name)) continue;
    const auto column = static_cast<std::uint32_t>(name.data() - line.data()) + 1;
    const Place place{feed.next_entry(), number, column};
    if (nowhere) {
      feed.name(NameKind::exact, name, place);
    } else {
      feed.fault(place, name, "is given an address; a set only holds names that lead nowhere");
    }
  }
  return true;
}

Outcome<Tally> read_hosts_list(ByteView file, const Bounds& bounds, Entries& to) {
  const auto text = open_text(file, bounds);
  if (!text) return std::unexpected(text.error());
  Feed feed(to, bounds);
  Lines lines(*text);
  while (!feed.full() && lines.next()) {
    const std::string_view line = lines.text().substr(0, lines.text().find('#'));
    if (trim(line).empty()) continue;
    if (!feed_hosts_line(line, lines.number(), feed))
      feed.fault({feed.next_entry(), lines.number(), 0}, trim(line),
                 "does not start with an address");
  }
  return feed.finish();
}

}  // namespace sluice::ruleformats
