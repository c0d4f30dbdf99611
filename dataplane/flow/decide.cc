#include "dataplane/flow/decide.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "dataplane/flow/acceptor.h"
#include "dataplane/flow/admission.h"
#include "dataplane/flow/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::flow {
namespace {

bool in_fake_range(const contract::Manifest& manifest, const IpAddress& address) noexcept {
  return std::ranges::any_of(manifest.fake_ranges,
                             [&](const Prefix& range) { return range.contains(address); });
}

/// Turns a fake address into its name. Errors: denied for an address of the pool without a name:
/// it must never leave this machine.
Status restore_name(const BindingTable& bindings, const contract::Manifest& manifest,
                    Decision& decision, route::TraceSink* trace) {
  if (!decision.destination.ip.valid()) return {};
  const contract::Binding* binding = bindings.find(decision.destination.ip);
  const bool fake = in_fake_range(manifest, decision.destination.ip);
  if (binding == nullptr) {
    if (!fake) return {};
    if (trace != nullptr)
      trace->step(
          {"fake address",
           decision.destination.ip.to_string() + " is in the fake range but has no name: dropped",
           0});
    return fail(Errc::denied, Side::client);
  }
  if (trace != nullptr)
    trace->step(
        {"fake address", decision.destination.ip.to_string() + " stands for " + binding->name, 0});
  decision.destination.name = binding->name;
  decision.dns_mode = binding->fake ? contract::DnsMode::fake_ip : contract::DnsMode::mapping;
  if (binding->fake) decision.destination.ip = IpAddress{};
  return {};
}

/// The list that the rules begin with; 0: the main one. Errors: not_found: the listener has gone.
Result<std::uint32_t> entry_of(const route::Snapshot& snapshot, const Request& request) {
  // dial.sock is no listener, whatever one of them is called.
  const bool inner = request.inbound_type == contract::InboundType::inner;
  if (inner || !request.outbound.empty()) return 0U;
  if (const contract::Listener* listener = snapshot.find_listener(request.inbound_name))
    return listener->rule_entry.value_or(0);
  // The manifest names neither the capture's own nor the one that explain was not told.
  const std::string& name = request.inbound_name;
  if (name.empty() || name == kCaptureListener) return 0U;
  return fail(Errc::not_found);
}

/// Errors: not_found when what the request's listener asked for, or it itself, has gone.
Result<route::FlowFacts> facts_of(const Engine& engine, const Request& request,
                                  const Decision& decision) {
  route::FlowFacts facts;
  facts.worker = engine.worker_index();
  facts.network = request.network;
  facts.source = request.source;
  facts.inbound_type = request.inbound_type;
  facts.inbound_name = request.inbound_name;
  facts.inbound_port = request.inbound_port;
  facts.user = request.user;
  facts.dscp = request.dscp;
  if (const kernel::NeighbourTable* known = engine.neighbours())
    facts.source_mac = known->mac_of(request.source.ip);
  // What the control plane asks for itself comes by a Unix socket: nobody's TCP or UDP socket.
  const bool inner = request.inbound_type == contract::InboundType::inner;
  facts.local_source = !inner && engine.is_local(request.source.ip);
  facts.destination = &decision.destination;
  if (!request.outbound.empty()) {
    facts.listener_outbound = decision.snapshot->find_outbound(request.outbound);
    if (!facts.listener_outbound) return fail(Errc::not_found);
  }
  const Result<std::uint32_t> entry = entry_of(*decision.snapshot, request);
  if (!entry) return fail(entry.error());
  facts.entry = *entry;
  return facts;
}

/// "02:00:5e:10:00:01"
std::string mac_text(std::uint64_t mac) {
  std::array<char, 18> text{};
  const auto byte = [&](unsigned index) {
    return static_cast<unsigned>(mac >> (40 - 8 * index)) & 0xffU;
  };
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", byte(0), byte(1),
                byte(2), byte(3), byte(4), byte(5));
  return text.data();
}

void trace_source(const route::FlowFacts& facts, route::TraceSink& trace) {
  const std::string ip = facts.source.ip.to_string();
  trace.step({"source",
              facts.source_mac != route::kNoMac
                  ? ip + " has the hardware address " + mac_text(facts.source_mac)
                  : ip + " is no neighbour whose hardware address is known",
              0});
}

/// Asks what the matcher needs until it has decided. Errors: cancelled.
Task<Status> run_rules(Engine& engine, const Request& request, const Decision& decision,
                       route::Matcher& matcher, FoundOwner& owner, Until until) {
  using Ask = route::Matcher::Ask;
  std::optional<Until> owner_by;
  for (Ask ask = matcher.run(); ask != Ask::decided; ask = matcher.run()) {
    if (ask == Ask::needs_address) {
      const Until bounded = until.earlier(engine.worker().after(kResolveTimeout));
      const Result<std::vector<IpAddress>> addresses = co_await engine.names().resolve(
          decision.destination.name, contract::NamePurpose::rule, bounded);
      if (!addresses && addresses.error().code == Errc::cancelled)
        co_return fail(addresses.error());
      if (addresses)
        matcher.set_addresses(*addresses);
      else
        matcher.set_addresses({}, addresses.error().code);
      continue;
    }
    // One deadline for user and program together.
    if (!owner_by) owner_by = until.earlier(engine.worker().after(kOwnerTimeout));
    const kernel::SocketQuery query{request.network, request.source, seen_by_client(request)};
    Result<FoundOwner> found =
        co_await engine.owners().find(query, matcher.needs_process(), *owner_by);
    if (!found) co_return fail(found.error());
    owner = std::move(*found);
    matcher.set_owner(owner.view());
  }
  co_return Status();
}

class Collector final : public route::TraceSink {
 public:
  void step(contract::ExplainStep step) override { steps.push_back(std::move(step)); }
  std::vector<contract::ExplainStep> steps;
};

}  // namespace

Task<Result<Decision>> decide(Engine& engine, const Request& request, Until until,
                              route::TraceSink* trace) {
  Decision decision;
  decision.snapshot = engine.pin();
  decision.destination = request.destination;
  if (!decision.snapshot) co_return fail(Errc::denied);
  const contract::Manifest& manifest = decision.snapshot->manifest();
  const Status restored = restore_name(engine.bindings(), manifest, decision, trace);
  if (!restored) co_return fail(restored.error());
  const Endpoint target{decision.destination.ip, decision.destination.port};
  if (target.ip.valid() && engine.is_own(target)) {
    SLUICE_LOG(warning, "flow", "refused a loop: %s from %s asks for our own listener %s",
               request.inbound_name.c_str(), request.source.to_string().c_str(),
               target.to_string().c_str());
    co_return fail(Errc::loop, Side::client);
  }
  const Result<route::FlowFacts> facts = facts_of(engine, request, decision);
  if (!facts) co_return fail(facts.error());
  if (trace != nullptr && engine.neighbours() != nullptr) trace_source(*facts, *trace);
  FoundOwner owner;  // the matcher views it
  route::Matcher matcher(*decision.snapshot, *facts, trace);
  const Status decided = co_await run_rules(engine, request, decision, matcher, owner, until);
  if (!decided) co_return fail(decided.error());
  decision.route = matcher.route();
  co_return std::move(decision);
}

Endpoint seen_by_client(const Request& request) noexcept {
  using contract::InboundType;
  const bool captured =
      request.inbound_type == InboundType::redir || request.inbound_type == InboundType::tproxy;
  if (captured) return {request.destination.ip, request.destination.port};
  return request.relay.ip.valid() ? request.relay : request.inbound;
}

std::int32_t shown_rule(const Decision& decision) noexcept {
  if (decision.route.rule_index < 0) return -1;
  const auto& rules = decision.snapshot->manifest().rules;
  const auto position = static_cast<std::size_t>(decision.route.rule_index);
  return static_cast<std::int32_t>(rules[position].number);
}

bool tells_of(const contract::FlowInfo& info, const Decision& decision) noexcept {
  if (info.rule_index != shown_rule(decision)) return false;
  if (decision.route.rule_index < 0) return true;
  const auto& rules = decision.snapshot->manifest().rules;
  return info.rule_list == rules[static_cast<std::size_t>(decision.route.rule_index)].list;
}

void describe_route(const Decision& decision, contract::FlowInfo& info) {
  const contract::Manifest& manifest = decision.snapshot->manifest();
  info.destination.name = decision.destination.name;
  if (decision.destination.ip.valid()) info.destination.ip = decision.destination.ip;
  info.dns_mode = decision.dns_mode;
  info.rule_index = shown_rule(decision);
  if (decision.route.rule_index >= 0) {
    const auto& line = manifest.rules[static_cast<std::size_t>(decision.route.rule_index)];
    info.rule = line.type;
    info.rule_payload = line.payload;
    info.rule_list = line.list;
  }
  info.chains.clear();
  for (const std::uint32_t index : decision.route.chain())
    info.chains.push_back(manifest.outbounds[index].name);
}

contract::FlowInfo describe_request(const Request& request) {
  contract::FlowInfo info;
  info.network = request.network;
  info.inbound_type = request.inbound_type;
  info.inbound_name = request.inbound_name;
  info.user = request.user;
  info.source = request.source;
  info.inbound = request.inbound;
  info.destination = request.destination;
  return info;
}

namespace {

/// How clients of such a listener come in: as asked, where that is one of their ways.
contract::InboundType type_through(contract::ListenerKind kind, contract::InboundType asked) {
  using contract::InboundType;
  using contract::ListenerKind;
  const bool http = asked == InboundType::http || asked == InboundType::https;
  const bool socks = asked == InboundType::socks4 || asked == InboundType::socks5;
  switch (kind) {
    case ListenerKind::http:
      return http ? asked : InboundType::http;
    case ListenerKind::socks:
      return socks ? asked : InboundType::socks5;
    case ListenerKind::mixed:
      return http || socks ? asked : InboundType::socks5;
    case ListenerKind::redir:
      return InboundType::redir;
    case ListenerKind::tproxy:
      return InboundType::tproxy;
  }
  return asked;
}

/// The request as one of the listener's clients makes it. False when there is no such listener, or
/// when it turns the client away: said.
bool come_by(Engine& engine, const std::string& name, Request& request, route::TraceSink& trace) {
  const PinnedSnapshot snapshot = engine.pin();
  const contract::Listener* listener = snapshot ? snapshot->find_listener(name) : nullptr;
  request.inbound_name = name;
  if (listener == nullptr || !admit(*snapshot, listener, request)) {
    trace.step({"refused",
                listener == nullptr ? "there is no listener " + name
                                    : name + " does not serve " + request.source.ip.to_string(),
                0});
    return false;
  }
  request.inbound_type = type_through(listener->kind, request.inbound_type);
  request.inbound = {listener->address, listener->port};
  return true;
}

}  // namespace

Task<contract::Explanation> explain(Engine& engine, contract::ExplainQuery query) {
  Request request;
  request.network = query.network;
  request.inbound_type = query.inbound_type;
  request.source = {query.source.valid() ? query.source : IpAddress::v4(0x7f000001),
                    query.source_port};
  request.destination = std::move(query.destination);
  Collector trace;
  contract::Explanation out;
  if (!query.listener.empty() && !come_by(engine, query.listener, request, trace)) {
    out.steps = std::move(trace.steps);
    co_return out;
  }
  const Until until = engine.worker().after(kResolveTimeout);
  const Result<Decision> decision = co_await decide(engine, request, until, &trace);
  out.steps = std::move(trace.steps);
  if (!decision) {
    out.steps.push_back({"refused", describe(decision.error()), 0});
    co_return out;
  }
  contract::FlowInfo info;
  describe_route(*decision, info);
  out.index = info.rule_index;
  out.rule = std::move(info.rule);
  out.rule_payload = std::move(info.rule_payload);
  out.rule_list = std::move(info.rule_list);
  out.chains = std::move(info.chains);
  co_return out;
}

}  // namespace sluice::flow
