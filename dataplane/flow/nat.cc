#include "dataplane/flow/nat.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/limits.h"
#include "proto/common/log.h"

namespace sluice::flow {
namespace {

/// A worker's part of a bound over all of them; 0 in the manifest: ours.
std::size_t part_of(std::uint32_t bound, std::uint32_t ours, unsigned workers) noexcept {
  const std::size_t whole = bound != 0 ? bound : ours;
  return (whole + workers - 1) / workers;
}

Millis span_of(Millis set, Millis ours) noexcept {
  return set.count != 0 ? set : ours;
}

}  // namespace

Nat::Nat(Engine& engine) : engine_(engine) {
  engine_.worker().loop().arm(*this, engine_.worker().after(kSweepInterval));
}

Nat::~Nat() {
  close_all({contract::CloseReason::stopped, "the worker stops"});
}

Nat::Share Nat::share() noexcept {
  const PinnedSnapshot snapshot = engine_.pin();
  const contract::Limits limits = snapshot ? snapshot->manifest().limits : contract::Limits{};
  const unsigned workers = engine_.worker_count();
  return {part_of(limits.udp_mappings, kMappings, workers),
          part_of(limits.udp_mappings_per_client, kMappingsPerClient, workers),
          span_of(limits.udp_idle, kUdpIdle), span_of(limits.udp_question_idle, kQuestionIdle)};
}

NatCounts Nat::counts() const noexcept {
  NatCounts out = counts_;
  out.mappings = count_;
  return out;
}

Association* Nat::association(ClientSide& side, const Request& facts) {
  if (last_ != nullptr && last_side_ == &side && last_->client() == facts.source) return last_;
  Association* found = side.mappings().find(facts.source);
  if (found == nullptr) found = admit(side, facts);
  if (found == nullptr) return nullptr;
  last_side_ = &side;
  last_ = found;
  return found;
}

Association* Nat::admit(ClientSide& side, const Request& facts) {
  Request first = facts;
  if (!side.admit(first)) return nullptr;
  MappingClient& client = clients_.try_emplace(facts.source.ip).first->second;
  client.address = facts.source.ip;
  ++client.count;  // before there is room, so that the client's record outlives its other mappings
  make_room(client);
  auto made = std::make_unique<Association>(engine_, side, orders_, client, std::move(first));
  side.mappings().insert(*made);
  ++count_;
  return made.release();
}

void Nat::make_room(MappingClient& client) {
  const Share share = this->share();
  // A bound that a reload made smaller is reached step by step, so that no turn is a long one.
  for (int step = 0; step < 2 && client.count > share.of_client; ++step) {
    auto* first = static_cast<MappingPlace*>(client.mappings.oldest());
    if (first == nullptr) break;
    end(first->mapping, {contract::CloseReason::memory, "its client had too many UDP mappings"});
    ++counts_.evicted;
    warn_crowded(client.address.to_string().c_str());
  }
  for (int step = 0; step < 2 && count_ >= share.mappings && count_ != 0; ++step) {
    end(*oldest(), {contract::CloseReason::memory, "the UDP table was full"});
    ++counts_.evicted;
    warn_crowded("the table");
  }
}

void Nat::warn_crowded(const char* whose) {
  const Moment now = engine_.worker().loop().now();
  if (now < quiet_until_) return;
  quiet_until_ = now + kCrowdedWarning;
  SLUICE_LOG(warning, "nat", "step=map: %s has as many UDP mappings as it may: idle ones end early",
             whose);
}

Association* Nat::oldest() noexcept {
  auto* lasting = static_cast<Association*>(orders_.lasting.oldest());
  auto* brief = static_cast<Association*>(orders_.brief.oldest());
  if (lasting == nullptr || brief == nullptr) return lasting != nullptr ? lasting : brief;
  return brief->last_used() <= lasting->last_used() ? brief : lasting;
}

void Nat::end(Association& mapping, CloseCause cause) {
  flush();
  last_ = nullptr;
  mapping.close(cause);
  mapping.side().mappings().erase(mapping);
  MappingClient& client = mapping.owner();
  --count_;
  delete &mapping;
  if (--client.count == 0) clients_.erase(client.address);
}

void Nat::forward(ClientSide& side, const Request& facts, const Destination& to, Packet& packet) {
  Association* a = association(side, facts);
  if (a == nullptr) {
    ++counts_.dropped;
    return;
  }
  a->touch();
  a->count_sent(to.port);
  Target& target = a->target(to, facts.dscp);
  if (target.state != Target::State::ready) {
    a->keep(target, packet);
    return;
  }
  if (target.flow->scope.cancelled() || target.session->state() != Session::State::open) {
    ++counts_.dropped;
    return;
  }
  transport::PacketEnd* end = target.session->end();
  if (packet.size > end->mtu()) {
    ++counts_.dropped;
    return;
  }
  if (batch_count_ == batch_.size() || (batch_count_ != 0 && end != batch_end_)) flush();
  if (!room_.ensure(packet, end->headroom(), end->tailroom())) {
    flush();
    (void)room_.ensure(packet, end->headroom(), end->tailroom());
  }
  target.flow->meter.sent(packet.size);
  target.sent_at = a->last_used();
  batch_end_ = end;
  // The target may be forgotten before the batch leaves only after a flush: end() calls it.
  batch_[batch_count_++] = {packet, &target.real};
}

void Nat::flush() {
  if (batch_count_ == 0) return;
  const std::size_t count = std::exchange(batch_count_, 0);
  const std::size_t sent = batch_end_->send(std::span(batch_).first(count));
  counts_.dropped += count - std::min(sent, count);
  room_.reset();
}

void Nat::forget(ClientSide& side, CloseCause cause) {
  std::vector<Association*> of_side;
  of_side.reserve(side.mappings().size());
  side.mappings().for_each([&](Association& mapping) { of_side.push_back(&mapping); });
  for (Association* mapping : of_side) end(*mapping, cause);
}

void Nat::end_idle(UseOrder& order, Millis idle) {
  const Moment now = engine_.worker().loop().now();
  while (auto* first = static_cast<Association*>(order.oldest())) {
    if (now - first->last_used() < idle) return;
    end(*first, {contract::CloseReason::timeout, "idle"});
  }
}

void Nat::close_all(CloseCause cause) {
  while (Association* mapping = oldest()) end(*mapping, cause);
}

void Nat::fire() noexcept {
  flush();
  room_.release();
  last_ = nullptr;
  const Share share = this->share();
  end_idle(orders_.lasting, share.idle);
  end_idle(orders_.brief, std::min(share.idle, share.question_idle));
  while (auto* first = static_cast<MappingPlace*>(orders_.stale.oldest())) first->mapping.sweep();
  engine_.worker().loop().arm(*this, engine_.worker().after(kSweepInterval));
}

}  // namespace sluice::flow
