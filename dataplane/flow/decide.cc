#include "dataplane/flow/decide.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "dataplane/flow/acceptor.h"
#include "dataplane/flow/admission.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/sniff_policy.h"
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
      trace->step({"fake address",
                   decision.destination.ip.to_string() + " is in the fake range but has no name",
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

/// What came of a look before the rules.
struct Heard {
  bool can_speak = false;
  bool dial = false;  ///< the sniffed host is where the flow goes
  std::optional<contract::Protocol> protocol;
};

void tell(route::TraceSink* trace, const Spoken& spoken, const SniffUse& use) {
  if (trace == nullptr) return;
  std::string detail = "its first bytes are looked at before the rules: ";
  const std::string_view protocol = contract::protocol_name(spoken.protocol);
  detail += protocol.empty() ? "nothing is known of them" : protocol;
  if (!spoken.host.empty()) detail += ", " + spoken.host;
  trace->step({"sniff", detail + "; " + std::string(use.why), 0});
}

/// Whether the client is looked at before the rules; told where there is a sniffer.
bool is_looked_at(const Request& request, const FirstBytes* first, bool lost,
                  const Decision& decision, route::TraceSink* trace) {
  if (first == nullptr) return false;
  const route::Snapshot& snapshot = *decision.snapshot;
  const SniffPlan plan =
      plan_look(snapshot, {request, decision.destination, decision.dns_mode, lost});
  if (!plan.look && trace != nullptr && snapshot.manifest().sniffer.enable)
    trace->step({"sniff", "not before the rules: " + std::string(plan.why), 0});
  return plan.look;
}

/// Errors: those of FirstBytes::look; denied for a fake address (`lost`) whose bytes name nobody
/// either.
Task<Result<Heard>> look_ahead(const Request& request, FirstBytes& first, bool lost, Until until,
                               Decision& decision, route::TraceSink* trace) {
  const Result<Spoken> spoken = co_await first.look(until);
  if (!spoken) co_return fail(spoken.error());
  const SniffUse use = use_of(*decision.snapshot, request, *spoken);
  tell(trace, *spoken, use);
  if (lost && !use.dial) co_return fail(Errc::denied, Side::client);
  Heard out;
  out.can_speak = true;
  out.protocol = spoken->protocol;
  out.dial = use.dial;
  if (use.rules) decision.sniff_host = spoken->host;
  if (use.dial) decision.destination.name = spoken->host;
  if (lost) decision.destination.ip = IpAddress{};
  co_return out;
}

/// Errors: not_found when what the request's listener asked for, or it itself, has gone.
Result<route::FlowFacts> facts_of(const Engine& engine, const Request& request,
                                  const Decision& decision, const Heard& heard) {
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
  facts.sniffed_host = decision.sniff_host;
  facts.can_speak = heard.can_speak;
  facts.protocol = heard.protocol;
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

/// Asks what the matcher needs until it has decided. Errors: cancelled, those of FirstBytes::look.
Task<Status> run_rules(Engine& engine, const Request& request, const Decision& decision,
                       FirstBytes* first, route::Matcher& matcher, FoundOwner& owner, Until until) {
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
    if (ask == Ask::needs_protocol) {
      const Result<Spoken> spoken = co_await first->look(until);
      if (!spoken) co_return fail(spoken.error());
      matcher.set_protocol(spoken->protocol);
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

}  // namespace

Task<Result<Decision>> decide(Engine& engine, const Request& request, Until until,
                              FirstBytes* first, route::TraceSink* trace) {
  Decision decision;
  decision.snapshot = engine.pin();
  decision.destination = request.destination;
  if (!decision.snapshot) co_return fail(Errc::denied);
  const contract::Manifest& manifest = decision.snapshot->manifest();
  const Status restored = restore_name(engine.bindings(), manifest, decision, trace);
  const Endpoint target{decision.destination.ip, decision.destination.port};
  if (target.ip.valid() && engine.is_own(target)) {
    SLUICE_LOG(warning, "flow", "refused a loop: %s from %s asks for our own listener %s",
               request.inbound_name.c_str(), request.source.to_string().c_str(),
               target.to_string().c_str());
    co_return fail(Errc::loop, Side::client);
  }
  Heard heard;
  heard.can_speak = first != nullptr;
  if (is_looked_at(request, first, !restored, decision, trace)) {
    const Result<Heard> looked =
        co_await look_ahead(request, *first, !restored, until, decision, trace);
    if (!looked) co_return fail(looked.error());
    heard = *looked;
  } else if (!restored) {
    co_return fail(restored.error());
  }
  const Result<route::FlowFacts> facts = facts_of(engine, request, decision, heard);
  if (!facts) co_return fail(facts.error());
  if (trace != nullptr && engine.neighbours() != nullptr) trace_source(*facts, *trace);
  FoundOwner owner;  // the matcher views it
  route::Matcher matcher(*decision.snapshot, *facts, trace);
  const Status decided =
      co_await run_rules(engine, request, decision, first, matcher, owner, until);
  if (!decided) co_return fail(decided.error());
  decision.route = matcher.route();
  if (heard.dial) decision.destination.ip = IpAddress{};  // rules by address saw the one it had
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
  if (info.rule_index != shown_rule(decision) || info.sniff_host != decision.sniff_host)
    return false;
  if (decision.route.rule_index < 0) return true;
  const auto& rules = decision.snapshot->manifest().rules;
  return info.rule_list == rules[static_cast<std::size_t>(decision.route.rule_index)].list;
}

void describe_route(const Decision& decision, contract::FlowInfo& info) {
  const contract::Manifest& manifest = decision.snapshot->manifest();
  info.destination.name = decision.destination.name;
  info.sniff_host = decision.sniff_host;
  if (decision.destination.ip.valid()) info.destination.ip = decision.destination.ip;
  info.dns_mode = decision.dns_mode;
  info.rule_index = shown_rule(decision);
  if (decision.route.rule_index >= 0) {
    const auto& line = manifest.rules[static_cast<std::size_t>(decision.route.rule_index)];
    info.rule = line.type;
    info.rule_payload = line.payload;
    info.rule_list = line.list;
  }
  const auto chain = decision.route.chain();
  info.chains.resize(chain.size());  // what is there keeps its room
  for (std::size_t i = 0; i < chain.size(); ++i) info.chains[i] = manifest.outbounds[chain[i]].name;
}

void describe_request(const Request& request, contract::FlowInfo& info) {
  info.network = request.network;
  info.inbound_type = request.inbound_type;
  info.inbound_name = request.inbound_name;
  info.user = request.user;
  info.source = request.source;
  info.inbound = request.inbound;
  info.destination = request.destination;
}

}  // namespace sluice::flow
