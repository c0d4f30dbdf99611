#include "dataplane/flow/nat.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dataplane/flow/limits.h"
#include "proto/common/hash.h"
#include "proto/common/log.h"

namespace sluice::flow {

std::size_t Nat::KeyHash::operator()(const Key& key) const noexcept {
  return static_cast<std::size_t>(
      mix64(hash_value(key.client), reinterpret_cast<std::uintptr_t>(key.side)));
}

Nat::Nat(Engine& engine) : engine_(engine) {
  engine_.worker().loop().arm(*this, engine_.worker().after(kSweepInterval));
}

Nat::~Nat() = default;

Association* Nat::association(ClientSide& side, const Request& facts) {
  const Key key{&side, facts.source};
  if (last_ != nullptr && key == last_key_) return last_;
  auto found = associations_.find(key);
  if (found == associations_.end()) {
    Request first = facts;
    if (!side.admit(first)) return nullptr;
    if (associations_.size() >= kAssociationsPerWorker) evict_oldest();
    auto made = std::make_unique<Association>(engine_, side, order_, std::move(first));
    found = associations_.emplace(key, std::move(made)).first;
  }
  last_key_ = key;
  last_ = found->second.get();
  return last_;
}

void Nat::evict_oldest() {
  flush();
  last_ = nullptr;
  auto& oldest = static_cast<Association&>(*order_.oldest());
  const Key key{&oldest.side(), oldest.client()};
  oldest.close({contract::CloseReason::memory, "the UDP table was full"});
  associations_.erase(key);
}

void Nat::forward(ClientSide& side, const Request& facts, const Destination& to, Packet& packet) {
  Association* a = association(side, facts);
  if (a == nullptr) {
    ++dropped_;
    return;
  }
  a->touch();
  Target& target = a->target(to, facts.dscp);
  if (target.state != Target::State::ready) {
    a->keep(target, packet);
    return;
  }
  if (target.flow->scope.cancelled() || target.session->state() != Session::State::open) {
    ++dropped_;
    return;
  }
  transport::PacketEnd* end = target.session->end();
  if (packet.size > end->mtu()) {
    ++dropped_;
    return;
  }
  if (batch_count_ == batch_.size() || (batch_count_ != 0 && end != batch_end_)) flush();
  target.flow->meter.sent(packet.size);
  target.sent_at = a->last_used();
  batch_end_ = end;
  // The target may be forgotten before the batch leaves only by flush() itself, which evict calls.
  batch_[batch_count_++] = {packet, &target.real};
}

void Nat::flush() {
  if (batch_count_ == 0) return;
  const std::size_t count = std::exchange(batch_count_, 0);
  const std::size_t sent = batch_end_->send(std::span(batch_).first(count));
  dropped_ += count - std::min(sent, count);
}

void Nat::forget(const ClientSide& side, CloseCause cause) {
  flush();
  last_ = nullptr;
  std::erase_if(associations_, [&](auto& entry) {
    if (entry.first.side != &side) return false;
    entry.second->close(cause);
    return true;
  });
}

void Nat::close_all(CloseCause cause) {
  flush();
  last_ = nullptr;
  for (const auto& [key, association] : associations_) association->close(cause);
  associations_.clear();
}

void Nat::fire() noexcept {
  flush();
  last_ = nullptr;
  const PinnedSnapshot snapshot = engine_.pin();
  const Moment now = engine_.worker().loop().now();
  const Millis idle = snapshot ? snapshot->manifest().limits.udp_idle : Millis{60'000};
  std::erase_if(associations_, [&](auto& entry) {
    Association& a = *entry.second;
    if (now - a.last_used() >= idle) {
      a.close({contract::CloseReason::timeout, "idle"});
      return true;
    }
    a.sweep();
    return false;
  });
  engine_.worker().loop().arm(*this, now + kSweepInterval);
}

}  // namespace sluice::flow
