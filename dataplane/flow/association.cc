#include "dataplane/flow/association.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/datagram_start.h"
#include "dataplane/flow/decision_log.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/nat.h"
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

Association::Association(Engine& engine, ClientSide& side, MappingOrders& orders,
                         MappingClient& client, Request facts) noexcept
    : engine_(engine), side_(side), orders_(orders), owner_(client), facts_(std::move(facts)) {
  last_used_ = engine_.worker().loop().now();
  enter_orders();
}

Association::~Association() {
  by_address_.for_each([](Target& target) { delete &target; });
}

Target& Association::known(const Destination& to, bool& fresh) {
  if (to.has_name()) {
    const NamedPortView key{to.name, to.port};
    if (const auto found = by_name_.find(key); found != by_name_.end()) return *found->second;
    fresh = true;
    return *by_name_.emplace(NamedPort{to.name, to.port}, std::make_unique<Target>()).first->second;
  }
  const Endpoint address{to.ip, to.port};
  if (Target* found = by_address_.find(address)) return *found;
  fresh = true;
  auto made = std::make_unique<Target>();
  made->asked = made->shown = address;
  by_address_.insert(*made);
  return *made.release();
}

Target& Association::target(const Destination& to, std::optional<std::uint8_t> dscp) {
  bool fresh = false;
  Target& target = known(to, fresh);
  if (target.opening.valid() && target.opening.done()) target.opening = {};
  const bool retry = target.state == Target::State::dropped && !target.opening.valid() &&
                     target.retry_at <= last_used_;
  if (fresh || retry) start(target, to, dscp);
  return target;
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
  if (target.state == Target::State::dropped || target.kept.size() >= kOpeningPackets)
    return engine_.nat().count_dropped(1);
  auto slice = Slice::make(engine_.worker().slices());
  // What does not fit a block is dropped: only the first moments of a session lose it.
  if (!slice || slice->tailroom() < packet.size + kTailroom) return engine_.nat().count_dropped(1);
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
  by_address_.for_each(settle);
  for (auto& [name, target] : by_name_) settle(*target);
  if (session.state() == Session::State::closed) mark_stale();
}

void Association::sweep() {
  orders_.stale.remove(in_stale_);
  const auto gone = [](const std::unique_ptr<Session>& session) {
    return session->state() == Session::State::closed || session->cancelled();
  };
  if (std::ranges::none_of(sessions_, gone)) return;
  const auto uses_gone = [&](const Target& target) {
    return target.session != nullptr && std::ranges::any_of(sessions_, [&](const auto& s) {
             return s.get() == target.session && gone(s);
           });
  };
  std::vector<Target*> ended;
  by_address_.for_each([&](Target& target) {
    if (uses_gone(target)) ended.push_back(&target);
  });
  for (Target* target : ended) {
    by_address_.erase(*target);
    delete target;
  }
  std::erase_if(by_name_, [&](const auto& entry) { return uses_gone(*entry.second); });
  std::erase_if(sessions_, gone);
}

void Association::close(CloseCause cause) {
  for (const auto& session : sessions_) session->close(cause);
}

}  // namespace sluice::flow
