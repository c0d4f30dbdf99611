#include "dataplane/flow/open_flow.h"

#include <utility>

#include "dataplane/flow/close_cause.h"
#include "dataplane/flow/decision_log.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/outbound_context.h"
#include "dataplane/flow/refusal.h"
#include "dataplane/outbound/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::flow {
namespace {

/// Why a decided route cannot be dialled; ok when it can.
Status refuse(Engine& engine, const Decision& decision, Flow& flow) {
  const std::string why = refusal_of(engine, decision);
  if (why.empty()) return {};
  const bool unbuilt = decision.route.refused == route::Refused::not_built;
  flow.close_because(
      {unbuilt ? contract::CloseReason::not_built : contract::CloseReason::refused, why});
  return fail(unbuilt ? Errc::not_built : Errc::denied);
}

void log_failure(const Flow& flow, std::string_view step, const Error& error) {
  SLUICE_LOG(info, "flow", "id=%llu %s -> %s step=%.*s outbound=%s: %s",
             static_cast<unsigned long long>(flow.id()), flow.info.source.to_string().c_str(),
             flow.info.destination.to_string().c_str(), SLUICE_SV(step),
             flow.info.chains.empty() ? "-" : flow.info.chains.front().c_str(),
             describe(error).c_str());
}

}  // namespace

Task<Result<outbound::Stream>> open_flow(Engine& engine, const Request& request, Flow& flow,
                                         FirstBytes* first) {
  const Until until(engine.worker().after(kDecideTimeout), flow.scope);
  Result<Decision> decision = co_await decide(engine, request, until, first);
  if (!decision) {
    close_by(flow, decision.error());
    log_failure(flow, "decide", decision.error());
    co_return fail(decision.error());
  }
  describe_route(*decision, flow.undecided());
  log_decision(flow);
  const Status allowed = refuse(engine, *decision, flow);
  if (!allowed) {
    const auto kind = decision->snapshot->outbound(decision->route.leaf).kind;
    decision->snapshot.reset();
    if (kind == contract::OutboundKind::reject_drop)
      co_await sleep_until(engine.worker().loop(),
                           Until(engine.worker().after(kDropHold), flow.scope));
    co_return fail(allowed.error());
  }
  const Until connect(engine.worker().after(decision->snapshot->manifest().limits.connect),
                      flow.scope);
  Result<outbound::Stream> stream =
      co_await outbound::dial(dial_context(engine, *decision->snapshot), decision->route.leaf,
                              decision->destination, connect);
  if (!stream) {
    close_unconnected(flow, stream.error());
    log_failure(flow, "connect", stream.error());
    co_return fail(stream.error());
  }
  flow.dialled = stream->remote;
  flow.set_state(contract::FlowState::open);
  co_return std::move(*stream);
}

namespace {

RelayLimits relay_limits(Engine& engine) {
  const PinnedSnapshot snapshot = engine.pin();
  const contract::Limits& limits = snapshot->manifest().limits;
  return {.idle = limits.tcp_idle,
          .half_closed = limits.tcp_half_closed,
          .keep_alive = outbound::keep_alive_of(limits)};
}

}  // namespace

Task<Step> run_relay(Engine& engine, std::unique_ptr<transport::End> client,
                     outbound::Stream upstream, std::unique_ptr<Flow> flow) {
  const Towards towards(*flow, *upstream.end);
  if (upstream.head_rides_payload) {
    const Until soon(engine.worker().after(outbound::kFirstPayloadWait), flow->scope);
    if (!client->readable()) co_await client->wait_readable(soon);
    // A server that speaks first must not wait for a client that listens first.
    SliceQueue nothing;
    if (!client->readable()) (void)upstream.end->write(nothing);
  }
  Relay relay(engine.worker(), *client, *upstream.end, flow->meter, flow->grant,
              relay_limits(engine));
  relay.start();
  const Status woke = co_await relay.wait(Until(Moment::never(), flow->scope));
  close_relayed(*flow, relay, relay.outcome(woke));
  co_return Step{};
}

}  // namespace sluice::flow
