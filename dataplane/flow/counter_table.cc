#include "dataplane/flow/counter_table.h"

#include <utility>

#include "dataplane/flow/limits.h"
#include "proto/common/hash.h"

namespace sluice::flow {
namespace {

constexpr std::string_view kOther = "other";
constexpr std::size_t kFirstBuckets = 256;

std::string host_text(const CounterRow& row) {
  return row.host.empty() ? row.host_ip.to_string() : row.host;
}

std::string rule_text(const CounterRow& row) {
  return row.payload.empty() ? row.rule : row.rule + "," + row.payload;
}

}  // namespace

/// Views into the flow's record, or of what stands for the rest.
struct CounterTable::Key {
  explicit Key(const contract::FlowInfo& info) noexcept
      : client(info.source.ip), network(info.network), user(info.user) {
    if (info.destination.has_name())
      host = info.destination.name;
    else
      host_ip = info.destination.ip;
    if (!info.chains.empty()) outbound = info.chains.front();
    if (info.rule_index < 0) return;
    rule = info.rule;
    payload = info.rule_payload;
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t h = mix64(hash_value(client), static_cast<std::uint64_t>(network));
    h = host.empty() ? mix64(h, hash_value(host_ip)) : hash_bytes(as_byte_view(host), h);
    for (const std::string_view text : {outbound, payload, user})
      if (!text.empty()) h = hash_bytes(as_byte_view(text), h);
    return h;
  }
  [[nodiscard]] bool is_of(const CounterRow& row) const noexcept {
    return client == row.client && host == row.host && host_ip == row.host_ip &&
           outbound == row.outbound && rule == row.rule && payload == row.payload &&
           user == row.user && network == row.network;
  }

  IpAddress client;
  IpAddress host_ip;
  Network network;
  std::string_view host;
  std::string_view outbound;
  std::string_view rule;
  std::string_view payload;
  std::string_view user;
};

CounterTable::CounterTable() : buckets_(kFirstBuckets) {}

CounterTable::~CounterTable() {
  for (CounterRow* row : buckets_)
    while (row != nullptr) delete std::exchange(row, row->next_same);
}

CounterRow& CounterTable::hold(const contract::FlowInfo& info) {
  Key key(info);
  std::uint64_t hash = key.hash();
  CounterRow* row = find(key, hash);
  // Held or waiting to be handed over: an idle row would be used again.
  const std::size_t used = rows_ - idle_;
  if (row == nullptr && used >= kCounterRows) {
    key.host = kOther;
    key.host_ip = {};
    if (used >= kCounterRows + kCounterRows / 8) {
      key.client = {};
      key.user = {};
    }
    hash = key.hash();
    row = find(key, hash);
  }
  if (row == nullptr) row = &make(key, hash);
  if (row->holders == 0 && !row->counted) unlink_idle(*row);
  ++row->holders;
  return *row;
}

void CounterTable::let_go(CounterRow& row) noexcept {
  if (--row.holders == 0 && !row.counted) link_idle(row);
}

std::vector<contract::CounterDelta> CounterTable::take() {
  std::vector<contract::CounterDelta> out;
  out.reserve(counted_.size());
  for (CounterRow* row : counted_) {
    contract::CounterDelta delta;
    delta.key = {row->client,     row->outbound, rule_text(*row),
                 host_text(*row), row->user,     row->network};
    delta.upload = std::exchange(row->upload, 0);
    delta.download = std::exchange(row->download, 0);
    delta.flows = std::exchange(row->flows, 0);
    out.push_back(std::move(delta));
    row->counted = false;
    if (row->holders == 0) link_idle(*row);
  }
  counted_.clear();
  while (idle_ > kIdleCounterRows) {
    CounterRow* row = oldest_;
    unlink_idle(*row);
    remove(*row);
    --rows_;
    delete row;
  }
  return out;
}

std::size_t CounterTable::bytes() const noexcept {
  return buckets_.capacity() * sizeof(CounterRow*) + rows_ * sizeof(CounterRow);
}

CounterRow* CounterTable::find(const Key& key, std::uint64_t hash) noexcept {
  CounterRow* row = buckets_[hash & (buckets_.size() - 1)];
  while (row != nullptr && (row->hash != hash || !key.is_of(*row))) row = row->next_same;
  return row;
}

CounterRow& CounterTable::make(const Key& key, std::uint64_t hash) {
  CounterRow* row = nullptr;
  if (idle_ >= kIdleCounterRows) {
    row = oldest_;
    unlink_idle(*row);
    remove(*row);
  } else {
    if (rows_ >= buckets_.size()) grow();
    row = new CounterRow;
    ++rows_;
  }
  row->client = key.client;
  row->host_ip = key.host_ip;
  row->host = key.host;
  row->outbound = key.outbound;
  row->rule = key.rule;
  row->payload = key.payload;
  row->user = key.user;
  row->network = key.network;
  row->hash = hash;
  insert(*row);
  link_idle(*row);
  return *row;
}

void CounterTable::link_idle(CounterRow& row) noexcept {
  row.older = newest_;
  row.newer = nullptr;
  (newest_ != nullptr ? newest_->newer : oldest_) = &row;
  newest_ = &row;
  ++idle_;
}

void CounterTable::unlink_idle(CounterRow& row) noexcept {
  (row.older != nullptr ? row.older->newer : oldest_) = row.newer;
  (row.newer != nullptr ? row.newer->older : newest_) = row.older;
  --idle_;
}

void CounterTable::insert(CounterRow& row) noexcept {
  CounterRow*& bucket = buckets_[row.hash & (buckets_.size() - 1)];
  row.next_same = bucket;
  bucket = &row;
}

void CounterTable::remove(CounterRow& row) noexcept {
  CounterRow** at = &buckets_[row.hash & (buckets_.size() - 1)];
  while (*at != &row) at = &(*at)->next_same;
  *at = row.next_same;
}

void CounterTable::grow() {
  const std::vector<CounterRow*> former =
      std::exchange(buckets_, std::vector<CounterRow*>(buckets_.size() * 2));
  for (CounterRow* row : former) {
    while (row != nullptr) {
      CounterRow* next = row->next_same;
      insert(*row);
      row = next;
    }
  }
}

}  // namespace sluice::flow
