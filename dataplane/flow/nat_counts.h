// flow/nat_counts.h - what a worker's UDP NAT says about itself.
#pragma once

#include <cstdint>

namespace sluice::flow {

struct NatCounts {
  std::uint64_t mappings = 0;  ///< now
  std::uint64_t evicted = 0;   ///< mappings that made room for others, since start
  std::uint64_t dropped = 0;   ///< datagrams, both ways, since start
};

}  // namespace sluice::flow
