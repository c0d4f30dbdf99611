#include "controlplane/dns/pool/fake_ip.h"

#include <algorithm>
#include <utility>

#include "controlplane/dns/bounds.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/common/name.h"

namespace sluice::dns {

FakeIp::FakeIp(Loop& loop, BindingSink& sink)
    : loop_(loop), sink_(sink), settled_(loop), alive_(std::make_shared<FakeIp*>(this)) {}

FakeIp::~FakeIp() {
  *alive_ = nullptr;
}

void FakeIp::configure(const DnsOptions& options) {
  enabled_ = options.dns.mode == model::DnsMode::fake_ip;
  whitelist_ = options.dns.fake_ip_filter_mode == model::FakeIpFilterMode::whitelist;
  filter_ = NamePatterns();
  for (const std::string& pattern : options.dns.fake_ip_filter)
    if (!filter_.add(pattern, 0))
      SLUICE_LOG(warning, "dns", "fake-ip-filter: entry \"%s\" is ignored", pattern.c_str());
  // Off: names that have addresses keep them, clients may still hold those; no new pool is made.
  if (!enabled_ && !v4_ && !v6_) return;
  reconfigure(v4_, options.dns.fake_ip_range, options.fake_ip_size);
  reconfigure(v6_, options.dns.fake_ip_range6, options.fake_ip_size);
}

void FakeIp::reconfigure(std::optional<FakePool>& pool, const std::optional<Prefix>& range,
                         std::size_t max_count) {
  if (!range || !range->base.valid()) {
    if (pool) drop_pool(*pool);
    pool.reset();
    return;
  }
  FakePool wanted(*range, max_count);
  if (pool && pool->range() == *range && pool->max_count() == wanted.max_count()) return;
  if (pool && pool->range() == *range) {
    // Another bound: the newest names stay where they are.
    const std::size_t surplus = pool->entries().size() > wanted.max_count()
                                    ? pool->entries().size() - wanted.max_count()
                                    : 0;
    std::size_t index = 0;
    for (const FakePool::Entry& e : pool->entries()) {
      const IpAddress address = pool->address_of(e);
      if (index++ < surplus) {
        removed_.push_back(address);
      } else if (wanted.restore(e.name, address) && e.acknowledged) {
        wanted.acknowledge(e.name, address);
      }
    }
    wanted.set_next(pool->next());
  } else if (pool) {
    drop_pool(*pool);
  }
  pool = std::move(wanted);
  if (!removed_.empty()) loop_.queue(*this);
}

void FakeIp::drop_pool(FakePool& pool) {
  for (const FakePool::Entry& e : pool.entries()) removed_.push_back(pool.address_of(e));
  pool.clear();
  loop_.queue(*this);
}

bool FakeIp::wants(std::string_view name) const noexcept {
  return enabled_ && filter_.matches(name) == whitelist_;
}

bool FakeIp::contains(const IpAddress& address) const noexcept {
  return (v4_ && v4_->contains(address)) || (v6_ && v6_->contains(address));
}

std::string_view FakeIp::name_of(const IpAddress& address) const noexcept {
  for (const auto* pool : {&v4_, &v6_}) {
    if (!*pool) continue;
    if (const FakePool::Entry* entry = (*pool)->at(address)) return entry->name;
  }
  return {};
}

FakePool* FakeIp::pool_of(Family family) noexcept {
  std::optional<FakePool>& pool = family == Family::v4 ? v4_ : v6_;
  return pool ? &*pool : nullptr;
}

FakePool* FakeIp::pool_with(const IpAddress& address) noexcept {
  FakePool* pool = pool_of(address.family());
  return pool != nullptr && pool->contains(address) ? pool : nullptr;
}

bool FakeIp::has_pool(Family family) const noexcept {
  return family == Family::v4 ? v4_.has_value() : v6_.has_value();
}

FakeIp::Lookup FakeIp::lookup(std::string_view name, Family family) {
  FakePool* pool = pool_of(family);
  if (pool == nullptr || !ready_) return {};
  const auto reserved = pool->reserve(name);
  if (!reserved) return {};
  if (reserved->acknowledged) return {State::ready, reserved->address};
  if (reserved->evicted) removed_.push_back(*reserved->evicted);
  FakePool::Entry* entry = pool->find(name);
  const bool on_its_way = in_flight_ && entry->change == in_flight_->number;
  if (!on_its_way) enqueue(*entry, reserved->address);
  return {State::waiting, reserved->address};
}

void FakeIp::enqueue(FakePool::Entry& entry, const IpAddress& address) {
  if (entry.queued) return;
  entry.queued = true;
  dirty_.push_back(address);
  loop_.queue(*this);
}

void FakeIp::forget_queue() noexcept {
  for (const IpAddress& address : dirty_) {
    FakePool* pool = pool_with(address);
    if (FakePool::Entry* entry = pool == nullptr ? nullptr : pool->at(address))
      entry->queued = false;
  }
  dirty_.clear();
}

Task<Status> FakeIp::settle(std::string name, IpAddress address, Until until) {
  for (;;) {
    FakePool* pool = pool_with(address);
    const FakePool::Entry* entry = pool == nullptr ? nullptr : pool->at(address);
    if (!ready_ || entry == nullptr || entry->name != name) co_return fail(Errc::cancelled);
    if (entry->acknowledged) co_return Status{};
    const bool under_way = entry->queued || (in_flight_ && entry->change == in_flight_->number);
    if (!under_way) co_return fail(Errc::cancelled);  // its change was refused
    Task<Status> wait = wait_in(settled_, until);
    const Status woken = co_await wait;
    if (!woken) co_return woken;
  }
}

void FakeIp::send_next() {
  if (!ready_ || in_flight_ || (dirty_.empty() && removed_.empty())) return;
  BindingChange change;
  change.remove = std::exchange(removed_, {});
  const std::size_t count = std::min(dirty_.size(), kBindBatch);
  const std::uint64_t number = ++changes_;
  for (std::size_t i = 0; i < count; ++i) {
    // An address may have gone to another name since: then that name is queued too, and sent once.
    FakePool* pool = pool_with(dirty_[i]);
    FakePool::Entry* entry = pool == nullptr ? nullptr : pool->at(dirty_[i]);
    if (entry == nullptr || !entry->queued) continue;
    entry->queued = false;
    entry->change = number;
    change.add.push_back({dirty_[i], entry->name, true, entry->last_good});
  }
  dirty_.erase(dirty_.begin(), dirty_.begin() + static_cast<std::ptrdiff_t>(count));
  change.next_v4 = next(Family::v4);
  change.next_v6 = next(Family::v6);
  in_flight_ = InFlight{number, change.add, change.remove};
  sink_.bind(std::move(change), [alive = alive_, number](const Status& outcome) {
    if (*alive != nullptr) (*alive)->finished(number, outcome);
  });
}

void FakeIp::finished(std::uint64_t number, const Status& outcome) {
  // Otherwise the data plane left meanwhile, and everything was sent again.
  if (!in_flight_ || in_flight_->number != number) return;
  const InFlight change = std::move(*in_flight_);
  in_flight_.reset();
  if (outcome) {
    for (const contract::Binding& b : change.sent)
      if (FakePool* pool = pool_with(b.address)) pool->acknowledge(b.name, b.address);
  } else {
    SLUICE_LOG(warning, "dns", "step=bind count=%zu refused: %s", change.sent.size(),
               describe(outcome.error()).c_str());
    removed_.insert(removed_.end(), change.removed.begin(), change.removed.end());
  }
  settled_.wake_all({});  // each looks whether its own address is held now
  // Removals alone are not repeated at once: a sink that refuses everything must not spin the loop.
  if (outcome || !dirty_.empty()) loop_.queue(*this);
}

void FakeIp::remember_real(std::string_view name, const std::vector<IpAddress>& addresses) {
  std::vector<IpAddress> best(
      addresses.begin(),
      addresses.begin() + static_cast<std::ptrdiff_t>(std::min(addresses.size(), kLastGood)));
  std::ranges::sort(best);
  for (auto* pool : {&v4_, &v6_}) {
    if (!*pool) continue;
    FakePool::Entry* entry = (*pool)->find(name);
    if (entry == nullptr || entry->last_good == best) continue;
    entry->last_good = best;
    enqueue(*entry, (*pool)->address_of(*entry));
  }
}

void FakeIp::data_plane_ready() {
  ready_ = true;
  in_flight_.reset();
  forget_queue();
  loop_.queue(*this);  // removals that came up meanwhile: the store still has to hear of them
  for (auto* pool : {&v4_, &v6_})
    if (*pool) (*pool)->acknowledge_all();
}

void FakeIp::data_plane_away() {
  ready_ = false;
  in_flight_.reset();
  forget_queue();
  settled_.wake_all(fail(Errc::cancelled));
}

std::vector<contract::Binding> FakeIp::all_bindings() const {
  std::vector<contract::Binding> out;
  for (const auto* pool : {&v4_, &v6_}) {
    if (!*pool) continue;
    for (const FakePool::Entry& e : (*pool)->entries())
      out.push_back({(*pool)->address_of(e), e.name, true, e.last_good});
  }
  return out;
}

void FakeIp::restore(const std::vector<contract::Binding>& bindings, std::uint32_t next_v4,
                     std::uint32_t next_v6) {
  for (const contract::Binding& b : bindings) {
    FakePool* pool = b.fake && is_normal_name(b.name) ? pool_with(b.address) : nullptr;
    if (pool == nullptr || !pool->restore(b.name, b.address)) continue;
    FakePool::Entry* entry = pool->find(b.name);
    entry->last_good = b.last_good;
    if (entry->last_good.size() > kLastGood) entry->last_good.resize(kLastGood);
  }
  if (v4_) v4_->set_next(next_v4);
  if (v6_) v6_->set_next(next_v6);
}

std::uint32_t FakeIp::next(Family family) const noexcept {
  const std::optional<FakePool>& pool = family == Family::v4 ? v4_ : v6_;
  return pool ? pool->next() : 0;
}

std::size_t FakeIp::count() const noexcept {
  return (v4_ ? v4_->entries().size() : 0) + (v6_ ? v6_->entries().size() : 0);
}

std::size_t FakeIp::max_count() const noexcept {
  return (v4_ ? v4_->max_count() : 0) + (v6_ ? v6_->max_count() : 0);
}

}  // namespace sluice::dns
