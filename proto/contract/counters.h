// contract/counters.h - byte counters that are exact across any death of the control plane.
//
// The data plane keeps every delta until it is acknowledged; the reader commits deltas and cursor
// (epoch, sequence) in one transaction and then acknowledges. A repeated batch has the same
// sequence and is ignored by the reader; a new epoch means a new data plane, whose sequence starts
// at 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/common/address.h"

namespace sluice::contract {

struct CounterKey {
  IpAddress client;
  std::string outbound;  ///< leaf name
  std::string rule;      ///< "DomainSuffix,example.test"; "" when no rule decided
  std::string host;      ///< name, or the address as text
  std::string user;
  Network network = Network::tcp;
  friend bool operator==(const CounterKey&, const CounterKey&) = default;
};

struct CounterDelta {
  CounterKey key;
  std::uint64_t upload = 0;    ///< bytes
  std::uint64_t download = 0;  ///< bytes
  std::uint64_t flows = 0;     ///< newly opened
};

struct CounterBatch {
  std::uint64_t epoch = 0;     ///< random per life of the data plane
  std::uint64_t sequence = 0;  ///< 1, 2, 3 …
  std::vector<CounterDelta> deltas;
  bool final = false;  ///< a data plane that stops in order has counted everything with this one
};

/// How far the reader has committed; {0, 0} at first.
struct CounterCursor {
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
};

}  // namespace sluice::contract
