#include "dataplane/flow/explain.h"

#include <utility>
#include <vector>

#include "dataplane/flow/admission.h"
#include "dataplane/flow/decide.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/sniff_policy.h"
#include "proto/common/error_text.h"

namespace sluice::flow {
namespace {

class Collector final : public route::TraceSink {
 public:
  void step(contract::ExplainStep step) override { steps.push_back(std::move(step)); }
  std::vector<contract::ExplainStep> steps;
};

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

/// What the first bytes of such a flow say, as far as the query tells.
Spoken heard(Engine& engine, const contract::ExplainQuery& query, const Request& request) {
  Spoken out;
  out.host = query.sniffed_host;
  const PinnedSnapshot snapshot = engine.pin();
  if (query.protocol)
    out.protocol = *query.protocol;
  else if (request.inbound_type == contract::InboundType::http)
    out.protocol = contract::Protocol::http;
  else if (!out.host.empty() && snapshot)
    out.protocol =
        usual_protocol(snapshot->manifest().sniffer, query.network, query.destination.port);
  return out;
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
  request.destination = query.destination;
  Collector trace;
  contract::Explanation out;
  if (!query.listener.empty() && !come_by(engine, query.listener, request, trace)) {
    out.steps = std::move(trace.steps);
    co_return out;
  }
  const Until until = engine.worker().after(kResolveTimeout);
  KnownStart start(heard(engine, query, request));
  const Result<Decision> decision = co_await decide(engine, request, until, &start, &trace);
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
