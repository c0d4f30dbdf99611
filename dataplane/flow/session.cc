#include "dataplane/flow/session.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/association.h"
#include "dataplane/flow/close_cause.h"
#include "dataplane/flow/decision_log.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/outbound_context.h"
#include "dataplane/outbound/dial.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::flow {

Session::~Session() {
  origins_.for_each([](Origin& origin) { delete &origin; });
}

void Session::open(PinnedSnapshot snapshot) {
  if (opening_.valid()) return;
  opening_ = open_end(std::move(snapshot));
  opening_.start();
}

Task<void> Session::open_end(PinnedSnapshot snapshot) {
  Engine& engine = association_.engine();
  const Until until = engine.worker().after(snapshot->manifest().limits.connect);
  auto end = co_await outbound::open_packets(dial_context(engine, *snapshot), leaf_, until);
  if (!end) {
    state_ = State::closed;
    for (const auto& flow : flows_) close_unconnected(*flow, end.error());
    SLUICE_LOG(info, "nat", "client=%s outbound=%s: %s", association_.client().to_string().c_str(),
               snapshot->outbound(leaf_).name.c_str(), sluice::describe(end.error()).c_str());
  } else {
    state_ = State::open;
    end_ = std::move(*end);
    end_->set_sink(this);
    for (const auto& flow : flows_) {
      flow->info.remote = end_->describe();
      flow->set_state(contract::FlowState::open);
    }
  }
  // A parameter lives as long as its frame, and that as long as the session: days, perhaps.
  snapshot.reset();
  association_.session_changed(*this);
}

Flow& Session::flow_for(const Decision& decision, const Request& request) {
  for (const auto& flow : flows_)
    if (tells_of(flow->info, decision)) return *flow;
  flows_.push_back(std::make_unique<Flow>(association_.engine().flows(), request));
  Flow& flow = *flows_.back();
  flow.set_cancel_sink(this);
  describe_route(decision, flow.undecided());
  log_decision(flow);
  if (state_ == State::open) {
    flow.info.remote = end_->describe();
    flow.set_state(contract::FlowState::open);
  }
  return flow;
}

bool Session::can_tell(const ReplyPath& path) const noexcept {
  if (path.real.ip.valid()) {
    const Origin* same = origins_.find(path.real);
    if (same != nullptr && same->shown != path.shown) return false;
  }
  if (!path.by_name) return true;
  const Origin* same = origins_.find({{}, path.real.port});
  return same == nullptr || same->shown == path.shown;
}

void Session::expect(const ReplyPath& path, Flow& flow) {
  if (path.real.ip.valid()) expect(path.real, path.shown, flow);
  if (path.by_name) expect({{}, path.real.port}, path.shown, flow);
}

void Session::expect(const Endpoint& real, const Endpoint& shown, Flow& flow) {
  Origin* origin = origins_.find(real);
  if (origin == nullptr) {
    auto made = std::make_unique<Origin>();
    made->real = real;
    origins_.insert(*made);
    origin = made.release();
  }
  origin->shown = shown;
  origin->flow = &flow;
}

bool Session::cancelled() const noexcept {
  return std::ranges::any_of(flows_, [](const auto& flow) { return flow->scope.cancelled(); });
}

void Session::close(CloseCause cause) {
  state_ = State::closed;
  for (const auto& flow : flows_) flow->close_because(cause);
}

void Session::on_ready() noexcept {
  association_.mark_stale();
}

Session::Origin* Session::origin_of(const Endpoint& source) noexcept {
  if (last_origin_ != nullptr && last_origin_->real == source) return last_origin_;
  Origin* found = origins_.find(source);
  if (found != nullptr) {
    last_origin_ = found;
  } else {
    found = origins_.find({{}, source.port});
  }
  return found;
}

void Session::on_packets(std::span<Packet> packets) noexcept {
  if (state_ != State::open) return;
  for (Packet& packet : packets) {
    const Origin* origin = origin_of(packet.from);
    Flow& flow = origin != nullptr ? *origin->flow : *flows_.front();
    if (origin != nullptr && origin->shown.ip.valid()) packet.from = origin->shown;
    flow.meter.received(packet.size);
  }
  association_.touch();
  association_.side().reply(association_.client(), packets);
}

void Session::on_unreachable(const Endpoint& to, Unreachable why) noexcept {
  if (state_ != State::open) return;
  const Origin* origin = origins_.find(to);
  const bool renamed = origin != nullptr && origin->shown.ip.valid();
  association_.side().unreachable(association_.client(), renamed ? origin->shown : to, why);
}

void Session::on_closed(Error reason) noexcept {
  const std::string why = sluice::describe(reason);
  close({contract::close_reason_of(reason), why});
  association_.session_changed(*this);
}

}  // namespace sluice::flow
