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
    const auto same = by_address_.find(path.real);
    if (same != by_address_.end() && same->second.shown != path.shown) return false;
  }
  if (!path.by_name) return true;
  const auto same = by_port_.find(path.real.port);
  return same == by_port_.end() || same->second.shown == path.shown;
}

void Session::expect(const ReplyPath& path, Flow& flow) {
  const Origin origin{path.shown, &flow};
  if (path.real.ip.valid()) by_address_.insert_or_assign(path.real, origin);
  if (path.by_name) by_port_.insert_or_assign(path.real.port, origin);
}

bool Session::cancelled() const noexcept {
  return std::ranges::any_of(flows_, [](const auto& flow) { return flow->scope.cancelled(); });
}

void Session::close(CloseCause cause) {
  state_ = State::closed;
  for (const auto& flow : flows_) flow->close_because(cause);
}

void Session::translate(Packet& packet) {
  const Origin* origin = nullptr;
  if (const auto at = by_address_.find(packet.from); at != by_address_.end()) {
    origin = &at->second;
  } else if (const auto by = by_port_.find(packet.from.port); by != by_port_.end()) {
    origin = &by->second;
  }
  Flow& flow = origin != nullptr ? *origin->flow : *flows_.front();
  if (origin != nullptr && origin->shown.ip.valid()) packet.from = origin->shown;
  flow.meter.received(packet.size);
}

void Session::on_packets(std::span<Packet> packets) noexcept {
  if (state_ != State::open) return;
  for (Packet& packet : packets) translate(packet);
  association_.touch();
  association_.side().reply(association_.client(), packets);
}

void Session::on_closed(Error reason) noexcept {
  const std::string why = sluice::describe(reason);
  close({contract::close_reason_of(reason), why});
  association_.session_changed(*this);
}

}  // namespace sluice::flow
