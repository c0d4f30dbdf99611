// flow/reply_sockets.h - sockets that answer TPROXY'd clients in the name of their destination.
//
// Unconnected, transparent, bound to the address the client wrote to. Cached by that address;
// bounded, the least recently used goes first. Owner: one TproxyUdp. Thread: its worker.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

#include "proto/common/address.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice::flow {

class ReplySockets {
 public:
  explicit ReplySockets(std::uint32_t mark) noexcept : mark_(mark) {}
  /// A descriptor that sends from `source`; stays the cache's. Errors: denied, no_descriptors,
  /// system.
  Result<int> get(const Endpoint& source);

 private:
  struct Entry {
    Endpoint source;
    UniqueFd fd;
  };
  std::uint32_t mark_;
  std::list<Entry> entries_;  ///< most recently used first
  std::unordered_map<Endpoint, std::list<Entry>::iterator, EndpointHash> by_source_;
};

}  // namespace sluice::flow
