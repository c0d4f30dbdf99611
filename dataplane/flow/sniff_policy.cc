#include "dataplane/flow/sniff_policy.h"

#include <algorithm>
#include <array>

#include "dataplane/route/sniff_lists.h"

namespace sluice::flow {
namespace {

using contract::InboundType;
using contract::Protocol;
using contract::SniffPorts;

struct Part {
  Protocol protocol;
  Network network;
  SniffPorts contract::Sniffer::* ports;
};
constexpr std::array<Part, 3> kParts{{{Protocol::tls, Network::tcp, &contract::Sniffer::tls},
                                      {Protocol::http, Network::tcp, &contract::Sniffer::http},
                                      {Protocol::quic, Network::udp, &contract::Sniffer::quic}}};

bool holds(const SniffPorts& part, std::uint16_t port) noexcept {
  return std::ranges::any_of(part.ports, [port](const contract::PortRange& range) {
    return range.first <= port && port <= range.last;
  });
}

/// Rules that compare names come into it.
bool asks_rules(const route::Snapshot& snapshot, const Request& request) noexcept {
  return snapshot.manifest().mode == contract::Mode::rule && request.outbound.empty() &&
         snapshot.needs().host;
}

bool is_forced(const route::Snapshot& snapshot, const Destination& to) noexcept {
  ruleset::Key key;
  key.name = to.name;
  return to.has_name() && route::is_listed(snapshot, snapshot.manifest().sniffer.force_domain, key);
}

/// Whether the map asks behind what the destination shows.
bool is_asked_behind(const route::Snapshot& snapshot, const Unheard& flow) noexcept {
  const contract::Sniffer& sniffer = snapshot.manifest().sniffer;
  if (!flow.destination.has_name()) return sniffer.parse_pure_ip;
  if (flow.dns_mode == contract::DnsMode::mapping && sniffer.force_dns_mapping) return true;
  return is_forced(snapshot, flow.destination);
}

bool is_excepted(const route::Snapshot& snapshot, const Unheard& flow) noexcept {
  const contract::Sniffer& sniffer = snapshot.manifest().sniffer;
  ruleset::Key key;
  key.source = flow.request.source.ip;
  key.destination = flow.destination.ip;
  return route::is_listed(snapshot, sniffer.skip_source, key) ||
         route::is_listed(snapshot, sniffer.skip_destination, key);
}

}  // namespace

SniffPlan plan_look(const route::Snapshot& snapshot, const Unheard& flow) {
  const contract::Sniffer& sniffer = snapshot.manifest().sniffer;
  const Request& request = flow.request;
  if (!sniffer.enable) return {false, "the sniffer is off"};
  if (request.inbound_type == InboundType::inner) return {false, "it is one of our own"};
  if (request.inbound_type == InboundType::http) return {false, "its request names the host"};
  bool known = false;
  bool dials = false;
  for (const Part& part : kParts) {
    const SniffPorts& ports = sniffer.*part.ports;
    if (part.network != request.network || !holds(ports, flow.destination.port)) continue;
    known = true;
    dials = dials || ports.override_destination;
  }
  if (!known) return {false, "nothing is looked for on its port"};
  if (!dials && (flow.lost || !asks_rules(snapshot, request)))
    return {false, "neither a rule nor the dial could use the answer"};
  if (!is_asked_behind(snapshot, flow)) return {false, "what it goes to is not asked behind"};
  if (is_excepted(snapshot, flow)) return {false, "its source or its destination is an exception"};
  return {true, {}};
}

SniffUse use_of(const route::Snapshot& snapshot, const Request& request, const Spoken& spoken) {
  if (spoken.host.empty()) return {false, false, "no host is known from them"};
  const contract::Sniffer& sniffer = snapshot.manifest().sniffer;
  const auto* const part = std::ranges::find(kParts, spoken.protocol, &Part::protocol);
  if (part == kParts.end() || part->network != request.network ||
      !holds(sniffer.*part->ports, request.destination.port))
    return {false, false, "it does not count: that protocol is not looked for on this port"};
  ruleset::Key key;
  key.name = spoken.host;
  if (route::is_listed(snapshot, sniffer.skip_domain, key))
    return {false, false, "it does not count: skip-domain has it"};
  if ((sniffer.*part->ports).override_destination)
    return {true, true, "rules compare it, and it is dialled"};
  return {true, false, "rules compare it"};
}

contract::Protocol usual_protocol(const contract::Sniffer& sniffer, Network network,
                                  std::uint16_t port) noexcept {
  for (const Part& part : kParts)
    if (part.network == network && holds(sniffer.*part.ports, port)) return part.protocol;
  return network == Network::udp ? Protocol::quic : Protocol::tls;
}

}  // namespace sluice::flow
