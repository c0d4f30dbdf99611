#include "proto/ruleset/describe.h"

#include <array>
#include <cstdio>

namespace sluice::ruleset {
namespace {

constexpr std::array<std::string_view, kOpCount> kNames = {"AND",
                                                           "OR",
                                                           "NOT",
                                                           "MATCH",
                                                           "nothing",
                                                           "DOMAIN",
                                                           "DOMAIN-SUFFIX",
                                                           "DOMAIN below",
                                                           "DOMAIN one below",
                                                           "DOMAIN labels",
                                                           "DOMAIN-KEYWORD",
                                                           "DOMAIN-WILDCARD",
                                                           "DOMAIN-REGEX",
                                                           "IP-CIDR",
                                                           "SRC-IP-CIDR",
                                                           "IP-SUFFIX",
                                                           "SRC-IP-SUFFIX",
                                                           "DST-PORT",
                                                           "SRC-PORT",
                                                           "IN-PORT",
                                                           "NETWORK",
                                                           "IN-TYPE",
                                                           "DSCP",
                                                           "UID",
                                                           "SRC-MAC",
                                                           "IN-USER",
                                                           "IN-NAME",
                                                           "REMATCH-NAME",
                                                           "TIME",
                                                           "PROCESS-NAME",
                                                           "PROCESS-PATH",
                                                           "PROCESS-NAME-WILDCARD",
                                                           "PROCESS-PATH-WILDCARD",
                                                           "PROCESS-NAME-REGEX",
                                                           "PROCESS-PATH-REGEX",
                                                           "RULE-SET",
                                                           "PROTOCOL"};

constexpr std::size_t kShown_bytes = 100;

std::string range(std::uint32_t first, std::uint32_t last) {
  std::string out = std::to_string(first);
  if (first != last) out += "-" + std::to_string(last);
  return out;
}

std::string mac_text(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char two[4];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += (out.empty() ? "" : ":") + std::string(two);
  }
  return out;
}

constexpr std::array<const char*, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::uint32_t kEveryDay = 0x7f;

/// "mon+wed+fri", "daily"
std::string days_text(std::uint32_t weekdays) {
  if (weekdays == kEveryDay) return "daily";
  std::string out;
  for (std::size_t day = 0; day < kDays.size(); ++day)
    if (((weekdays >> day) & 1U) != 0) out += (out.empty() ? "" : "+") + std::string(kDays[day]);
  return out;
}

std::string time_text(std::uint32_t weekdays, std::uint32_t first, std::uint32_t last) {
  char out[16];
  std::snprintf(out, sizeof out, "%02u:%02u-%02u:%02u", (first / 60) % 100, first % 60,
                (last / 60) % 100, last % 60);
  return days_text(weekdays) + " " + out;
}

std::string argument(const View& view, const Node& n) {
  const Programs& programs = view.programs();
  switch (n.op) {
    case Op::all:
    case Op::any:
    case Op::negate:
    case Op::always:
    case Op::never:
      return {};
    case Op::destination:
    case Op::source:
    case Op::destination_suffix:
    case Op::source_suffix:
      return programs.address(n).to_string() + "/" + std::to_string(n.extra);
    case Op::destination_port:
    case Op::source_port:
    case Op::in_port:
    case Op::dscp:
      return range(n.arg & 0xffffU, n.arg >> 16U);
    case Op::network:
      return n.arg == static_cast<std::uint32_t>(Network::tcp) ? "TCP" : "UDP";
    case Op::in_type:
    case Op::set:
    case Op::protocol:
      return {};
    case Op::uid:
      return range(programs.word(n, 0), programs.word(n, 1));
    case Op::source_mac:
      return mac_text(programs.text(n));
    case Op::time:
      return time_text(n.flags, n.arg & 0xffffU, n.arg >> 16U);
    case Op::domain_regex:
    case Op::process_name_regex:
    case Op::process_path_regex:
      return std::string(view.patterns().text(n.arg));
    default:
      return std::string(programs.text(n));
  }
}

}  // namespace

std::string describe_condition(const Condition& c) {
  std::string out(kNames[static_cast<std::size_t>(c.op)]);
  if (!c.children.empty()) return out + " of " + std::to_string(c.children.size());
  return c.text.empty() ? out : out + " " + c.text.substr(0, kShown_bytes);
}

std::string describe_clock(const View& view, std::uint32_t node, std::int64_t utc_seconds) {
  const Node n = view.programs().node(node);
  if (n.op != Op::time) return {};
  const std::int32_t offset_s = view.zones().offset_at(n.extra, utc_seconds);
  const std::int64_t local_s = utc_seconds + offset_s;
  const auto second = static_cast<unsigned>(((local_s % 86'400) + 86'400) % 86'400);
  const std::int64_t day = (local_s - second) / 86'400;  // 1970 began on a Thursday
  const unsigned apart = static_cast<unsigned>(offset_s < 0 ? -offset_s : offset_s) / 60;
  char out[48];
  std::snprintf(out, sizeof out, "it is %s %02u:%02u there, UTC%c%02u:%02u",
                kDays[static_cast<std::size_t>(((day + 4) % 7 + 7) % 7)], second / 3600,
                second / 60 % 60, offset_s < 0 ? '-' : '+', apart / 60, apart % 60);
  return out;
}

std::string describe_node(const View& view, std::uint32_t node) {
  const Node n = view.programs().node(node);
  std::string out(kNames[static_cast<std::size_t>(n.op)]);
  const std::string text = argument(view, n);
  if (!text.empty()) out += " " + text;
  return out;
}

}  // namespace sluice::ruleset
