#include "controlplane/compile/outbounds.h"

#include <algorithm>
#include <cassert>

#include "controlplane/compile/used_lists.h"

namespace sluice::compile {
namespace {

using contract::Outbound;
using contract::OutboundKind;

struct BuiltIn {
  const char* name;
  const char* type_name;
  OutboundKind kind;
};

// Names that always exist, with the type that dashboards know them by.
constexpr BuiltIn kBuiltIns[] = {
    {"DIRECT", "Direct", OutboundKind::direct},
    {"REJECT", "Reject", OutboundKind::reject},
    {"REJECT-DROP", "RejectDrop", OutboundKind::reject_drop},
    {"PASS", "Pass", OutboundKind::pass},
    {"COMPATIBLE", "Compatible", OutboundKind::direct},
    {"PASS-RULE", "PassRule", OutboundKind::pass_rule},
};
static_assert(std::size(kBuiltIns) == kBuiltInCount);
constexpr std::string_view kGlobal = "GLOBAL";

void add(Outbounds& out, Outbound outbound) {
  out.index.emplace(outbound.name, static_cast<std::uint32_t>(out.list.size()));
  out.list.push_back(std::move(outbound));
}

bool dials_a_server(OutboundKind kind) {
  return kind == OutboundKind::socks5 || kind == OutboundKind::http ||
         kind == OutboundKind::shadowsocks || kind == OutboundKind::unbuilt;
}

using Lists = std::vector<const model::SubRules*>;

/// One that names neither a list nor a name takes the name away.
void add_rematch(const model::Rematch& rematch, const Lists& entries, Outbound& o) {
  o.rematch_entry = entry_of(entries, rematch.sub_rule);
  if (rematch.name || !o.rematch_entry) o.rematch_name = rematch.name.value_or("");
}

Outbound compile_proxy(const model::Proxy& p, const Lists& entries) {
  Outbound o;
  o.name = p.name;
  o.type_name = p.type_name;
  o.kind = p.kind;
  o.udp = p.udp;
  o.ip_version = p.ip_version;
  o.interface_name = p.interface_name;
  o.routing_mark = p.routing_mark;
  if (p.rematch) add_rematch(*p.rematch, entries, o);
  if (dials_a_server(p.kind)) {
    o.server = p.server;
    o.port = p.port;
  }
  // A node that is not built is never dialled: its secrets stay here.
  if (p.kind == OutboundKind::unbuilt) return o;
  o.username = p.username;
  o.password = p.password;
  o.cipher = p.cipher;
  return o;
}

/// A group without members refuses its flows, as a node that is not built does.
Outbound compile_group(const Outbounds& out, const model::Group& g) {
  Outbound o;
  o.name = g.name;
  o.type_name = g.type_name;
  o.udp = g.udp;
  o.kind = g.members.empty() ? OutboundKind::unbuilt : OutboundKind::select;
  for (const std::string& member : g.members) o.members.push_back(out.of(member));
  const auto initial = std::ranges::find(g.members, g.initial);
  if (initial != g.members.end())
    o.initial_choice = static_cast<std::uint32_t>(initial - g.members.begin());
  return o;
}

/// Everything a user may want to choose: DIRECT and REJECT, then proxies and groups.
Outbound make_global(const Outbounds& out) {
  Outbound o;
  o.name = kGlobal;
  o.type_name = "Selector";
  o.kind = OutboundKind::select;
  o.members = {out.direct, out.reject};
  for (auto i = std::uint32_t{kBuiltInCount}; i < out.list.size(); ++i) o.members.push_back(i);
  return o;
}

}  // namespace

std::uint32_t Outbounds::of(std::string_view name) const {
  const auto found = index.find(std::string(name));
  assert(found != index.end());  // model refuses names that do not exist
  return found == index.end() ? reject : found->second;
}

Outbounds compile_outbounds(const model::Config& config) {
  Outbounds out;
  for (const BuiltIn& built_in : kBuiltIns) {
    Outbound o;
    o.name = built_in.name;
    o.type_name = built_in.type_name;
    o.kind = built_in.kind;
    add(out, std::move(o));
  }
  out.direct = out.of("DIRECT");
  out.reject = out.of("REJECT");
  out.pass = out.of("PASS");
  const Lists entries = entry_lists(config);
  for (const model::Proxy& proxy : config.proxies) add(out, compile_proxy(proxy, entries));
  // Groups may name groups further down, and GLOBAL: number all names before members are looked up.
  auto next = static_cast<std::uint32_t>(out.list.size());
  for (const model::Group& group : config.groups) out.index.emplace(group.name, next++);
  const bool own_global = config.find_group(kGlobal) != nullptr;
  if (!own_global) out.index.emplace(kGlobal, next);
  for (const model::Group& group : config.groups) out.list.push_back(compile_group(out, group));
  if (!own_global) out.list.push_back(make_global(out));
  out.global = out.of(kGlobal);
  return out;
}

}  // namespace sluice::compile
