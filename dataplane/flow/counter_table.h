// flow/counter_table.h - what one worker has counted and not handed over yet, one row per key.
//
//   flow 1 ─┐
//   flow 2 ─┼─> row {client, outbound, rule, host, user, network}: up, down, flows ── take() ──>
//   flow 3 ──> row {...}
//
// Flows of one key share a row and hold it while they live. A row that nobody holds stays for a
// while, for the next flow of its key, and its texts' room for the next key: in a steady state
// nothing allocates. Past kCounterRows the host of a new key is counted as "other", past an eighth
// more its client and user too: bytes are never lost, memory is bounded.
//
// Owner: FlowTable. Thread: its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/address.h"
#include "proto/contract/counters.h"
#include "proto/contract/flow_info.h"

namespace sluice::flow {

struct CounterRow {
  IpAddress client;
  IpAddress host_ip;  ///< when `host` is empty
  std::string host;
  std::string outbound;
  std::string rule;  ///< empty: no rule decided
  std::string payload;
  std::string user;
  Network network = Network::tcp;

  // Not handed over yet.
  std::uint64_t upload = 0;
  std::uint64_t download = 0;
  std::uint64_t flows = 0;

  std::uint32_t holders = 0;
  bool counted = false;  ///< in the list of what take() hands over
  std::uint64_t hash = 0;
  CounterRow* next_same = nullptr;  ///< in its bucket
  CounterRow* newer = nullptr;      ///< among the rows that nobody holds
  CounterRow* older = nullptr;
};

class CounterTable {
 public:
  CounterTable();
  CounterTable(const CounterTable&) = delete;
  CounterTable& operator=(const CounterTable&) = delete;
  ~CounterTable();

  /// The row for a decided flow, held until let_go().
  [[nodiscard]] CounterRow& hold(const contract::FlowInfo& info);
  void let_go(CounterRow& row) noexcept;
  void add(CounterRow& row, std::uint64_t up, std::uint64_t down, std::uint64_t flows) {
    row.upload += up;
    row.download += down;
    row.flows += flows;
    if (!row.counted) note(row);
  }
  /// Everything since the last call. Rows beyond kIdleCounterRows that nobody holds are freed.
  [[nodiscard]] std::vector<contract::CounterDelta> take();
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct Key;
  void note(CounterRow& row) { counted_.push_back(&row), row.counted = true; }
  [[nodiscard]] CounterRow* find(const Key& key, std::uint64_t hash) noexcept;
  [[nodiscard]] CounterRow& make(const Key& key, std::uint64_t hash);
  void unlink_idle(CounterRow& row) noexcept;
  void link_idle(CounterRow& row) noexcept;
  void remove(CounterRow& row) noexcept;
  void insert(CounterRow& row) noexcept;
  void grow();

  std::vector<CounterRow*> buckets_;  ///< a power of two of them
  std::vector<CounterRow*> counted_;
  CounterRow* oldest_ = nullptr;  ///< among the rows that nobody holds
  CounterRow* newest_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t idle_ = 0;
};

}  // namespace sluice::flow
