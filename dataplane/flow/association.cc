#include "dataplane/flow/association.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/datagram_start.h"
#include "dataplane/flow/decision_log.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/refusal.h"
#include "dataplane/outbound/happy_eyeballs.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::flow {

namespace {

/// What was kept for a destination that cannot be served goes back to the pool at once.
class KeptOnlyIfUsed {
 public:
  explicit KeptOnlyIfUsed(Target& target) noexcept : target_(target) {}
  KeptOnlyIfUsed(const KeptOnlyIfUsed&) = delete;
  KeptOnlyIfUsed& operator=(const KeptOnlyIfUsed&) = delete;
  ~KeptOnlyIfUsed() {
    if (target_.state == Target::State::dropped) target_.kept.clear();
  }

 private:
  Target& target_;
};

/// A proxy that was given a name says its own address of it.
ReplyPath reply_path(const Target& target, const contract::Outbound& leaf) {
  ReplyPath path;
  path.real = {target.real.ip, target.real.port};
  path.by_name = target.real.has_name() && leaf.kind != contract::OutboundKind::direct;
  if (target.shown != path.real) path.shown = target.shown;
  return path;
}

}  // namespace

Target& Association::target(const Destination& to, std::optional<std::uint8_t> dscp) {
  const Endpoint address{to.ip, to.port};
  Target* target = nullptr;
  bool fresh = false;
  if (!to.has_name()) {
    const auto [at, inserted] = by_address_.try_emplace(address);
    target = &at->second;
    target->shown = address;
    fresh = inserted;
  } else {
    const auto [at, inserted] = by_name_.try_emplace(to.to_string());
    target = &at->second;
    fresh = inserted;
  }
  if (target->opening.valid() && target->opening.done()) target->opening = {};
  const bool retry = target->state == Target::State::dropped && !target->opening.valid() &&
                     target->retry_at <= last_used_;
  if (fresh || retry) start(*target, to, dscp);
  return *target;
}

void Association::start(Target& target, const Destination& to, std::optional<std::uint8_t> dscp) {
  target.retry_at = last_used_ + kRetryDropped;
  if (by_address_.size() + by_name_.size() > kDestinationsPerClient) {
    target.state = Target::State::dropped;
    return;
  }
  Request request = facts_;
  request.destination = to;
  request.dscp = dscp;
  // Asked again: the listener may have changed since its client came.
  if (!side_.admit(request)) {
    target.state = Target::State::dropped;
    return;
  }
  target.state = Target::State::deciding;
  target.opening = open_target(target, std::move(request));
  target.opening.start();
}

void Association::keep(Target& target, const Packet& packet) {
  if (target.state == Target::State::ready) return;
  if (target.state == Target::State::dropped || target.kept.size() >= kOpeningPackets) return;
  auto slice = Slice::make(engine_.worker().slices());
  // What does not fit a block is dropped: only the first moments of a session lose it.
  if (!slice || slice->tailroom() < packet.size + kTailroom) return;
  slice->append(packet.bytes());
  target.kept.push_back(std::move(*slice));
  if (target.start != nullptr) target.start->arrived();
}

void Association::flush(Target& target) {
  for (Slice& slice : target.kept) {
    transport::OutPacket out;
    out.packet = {.data = slice.data().data(),
                  .size = slice.size(),
                  .headroom = slice.headroom(),
                  .tailroom = slice.tailroom()};
    out.to = &target.real;
    target.flow->meter.sent(slice.size());
    target.session->end()->send(std::span(&out, 1));
  }
  target.kept.clear();
  target.kept.shrink_to_fit();
  target.sent_at = engine_.worker().loop().now();
}

Session& Association::session_for(const Decision& decision, const ReplyPath& path) {
  Session* shared = nullptr;
  for (const auto& session : sessions_) {
    if (session->leaf() != decision.route.leaf || session->state() == Session::State::closed)
      continue;
    if (session->can_tell(path)) return *session;
    shared = session.get();
  }
  // Past the bound a mixed-up reply costs less than one more socket.
  if (shared != nullptr && sessions_.size() >= kSessionsPerClient) return *shared;
  sessions_.push_back(std::make_unique<Session>(*this, decision.route.leaf));
  return *sessions_.back();
}

Task<void> Association::open_target(Target& target, Request request) {
  const KeptOnlyIfUsed kept(target);
  const Until until = engine_.worker().after(kDecideTimeout);
  DatagramStart start(engine_, target.kept, request.destination);
  target.start = &start;
  Result<Decision> decision = co_await decide(engine_, request, until, &start);
  target.start = nullptr;
  target.state = Target::State::dropped;
  if (!decision) co_return;
  const contract::Manifest& manifest = decision->snapshot->manifest();
  const contract::Outbound& leaf = manifest.outbounds[decision->route.leaf];
  const std::string refusal = refusal_of(engine_, *decision);
  if (!refusal.empty()) {
    Flow record(engine_.flows(), request);
    describe_route(*decision, record.undecided());
    log_decision(record);
    record.close_because({contract::CloseReason::refused, refusal});
    co_return;
  }
  target.real = decision->destination;
  if (leaf.kind == contract::OutboundKind::direct && !target.real.ip.valid()) {
    target.state = Target::State::deciding;
    const Result<std::vector<IpAddress>> addresses =
        co_await engine_.names().resolve(target.real.name, contract::NamePurpose::direct, until);
    target.state = Target::State::dropped;
    if (!addresses) co_return;
    const auto ordered = outbound::order_addresses(*addresses, leaf.ip_version, manifest.ipv6);
    if (ordered.empty()) co_return;
    target.real.ip = ordered.front();
  }
  const ReplyPath path = reply_path(target, leaf);
  Session& session = session_for(*decision, path);
  target.session = &session;
  target.flow = &session.flow_for(*decision, request);
  session.expect(path, *target.flow);
  target.state = Target::State::waiting;
  if (session.state() == Session::State::opening) {
    if (session.end() == nullptr) session.open(std::move(decision->snapshot));
    co_return;
  }
  target.state = Target::State::ready;
  flush(target);
}

void Association::session_changed(Session& session) {
  const auto settle = [&](Target& target) {
    if (target.session != &session) return;
    if (session.state() == Session::State::open) {
      if (target.state != Target::State::waiting) return;
      target.state = Target::State::ready;
      flush(target);
    } else {
      target.state = Target::State::dropped;
      target.kept.clear();
    }
  };
  for (auto& [address, target] : by_address_) settle(target);
  for (auto& [name, target] : by_name_) settle(target);
}

void Association::sweep() {
  const auto gone = [](const std::unique_ptr<Session>& session) {
    return session->state() == Session::State::closed || session->cancelled();
  };
  if (std::ranges::none_of(sessions_, gone)) return;
  const auto uses_gone = [&](const auto& entry) {
    const Session* session = entry.second.session;
    return session != nullptr && std::ranges::any_of(sessions_, [&](const auto& s) {
             return s.get() == session && gone(s);
           });
  };
  std::erase_if(by_address_, uses_gone);
  std::erase_if(by_name_, uses_gone);
  std::erase_if(sessions_, gone);
}

void Association::close(CloseCause cause) {
  for (const auto& session : sessions_) session->close(cause);
}

}  // namespace sluice::flow
