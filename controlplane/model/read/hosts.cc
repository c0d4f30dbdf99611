#include <unordered_map>

#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

/// One text of the right side: an address, `lan`, or another name.
bool take_value(const Value& v, Host& host, Report& report) {
  if (const auto ip = IpAddress::parse(trim(v.text()))) {
    host.addresses.push_back(*ip);
    return true;
  }
  if (iequals(v.text(), "lan")) {
    host.lan = true;
    return true;
  }
  auto alias = to_ascii_name(v.text());
  if (!alias) {
    report.error(v.place(), quote(v.text()) + " is neither an address nor a name",
                 "write an address, a list of addresses, another name, or lan");
    return false;
  }
  host.alias = std::move(*alias);
  return true;
}

/// False when the right side cannot be used; what is wrong was reported.
bool read_right_side(const Value& v, Host& host, Report& report) {
  if (v.node->is_scalar()) return take_value(v, host, report);
  if (!v.node->is_sequence() || v.node->items.empty()) {
    report.error(v.place(), "needs an address, a list of addresses, another name, or lan",
                 "write one of them");
    return false;
  }
  for (std::size_t i = 0; i < v.node->items.size(); ++i) {
    const Value item{v.node->items[i], join_path(v.path, i)};
    const auto ip = item.node->is_scalar() ? IpAddress::parse(trim(item.text()))
                                           : Result<IpAddress>(fail(Errc::malformed));
    if (!ip) {
      report.error(item.place(), "is not an address", "a list may hold addresses only");
      return false;
    }
    host.addresses.push_back(*ip);
  }
  return true;
}

}  // namespace

void read_hosts(const Fields& top, std::vector<Host>& out) {
  const auto hosts = top.map("hosts");
  if (!hosts) return;
  std::unordered_map<std::string, std::uint32_t> lines;
  for (const Member& member : hosts->node().members) {
    const Place place{member.position(), join_path("hosts", member.key)};
    Host host;
    auto pattern = to_ascii_pattern(member.key);
    if (!pattern) {
      top.error(place, quote(member.key) + " is not a name",
                "write a name; `*` stands for one label, `+.` leads for a name and all below");
      continue;
    }
    if (const auto [it, fresh] = lines.try_emplace(*pattern, member.line); !fresh) {
      top.error(place, "the same name stands on line " + std::to_string(it->second),
                "keep one of them; several addresses are a list");
      continue;
    }
    host.pattern = std::move(*pattern);
    if (read_right_side({member.value, place.path}, host, top.report()))
      out.push_back(std::move(host));
  }
}

}  // namespace sluice::model
