#include "dataplane/app/ledger.h"

#include <utility>

#include "proto/common/hash.h"

namespace sluice::app {

std::size_t Ledger::Hash::operator()(const contract::CounterKey& key) const noexcept {
  std::uint64_t h = hash_value(key.client);
  for (const std::string* part : {&key.host, &key.outbound, &key.rule, &key.user})
    h = hash_bytes(as_byte_view(*part), h);
  return static_cast<std::size_t>(h ^ static_cast<std::uint64_t>(key.network));
}

namespace {

void fold(contract::CounterKey& key, std::size_t held) {
  key.host = "other";
  if (held < Ledger::kMaxKeys + Ledger::kMaxKeys / 8) return;
  key.client = {};
  key.user.clear();
}

}  // namespace

std::size_t Ledger::count() const {
  const std::lock_guard lock(mutex_);
  return merged_.size();
}

void Ledger::add(std::vector<contract::CounterDelta> deltas) {
  const std::lock_guard lock(mutex_);
  for (contract::CounterDelta& d : deltas) {
    if (merged_.size() >= kMaxKeys && !merged_.contains(d.key)) fold(d.key, merged_.size());
    auto& sum = merged_.try_emplace(d.key, contract::CounterDelta{d.key}).first->second;
    sum.upload += d.upload;
    sum.download += d.download;
    sum.flows += d.flows;
  }
}

std::vector<contract::CounterDelta> Ledger::take() {
  std::unordered_map<contract::CounterKey, contract::CounterDelta, Hash> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(merged_);
  }
  std::vector<contract::CounterDelta> out;
  out.reserve(taken.size());
  for (auto& [key, delta] : taken) out.push_back(std::move(delta));
  return out;
}

}  // namespace sluice::app
