// contract/memory_report.h - what one program keeps in memory, by pool and cache (ReadMemory).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::contract {

/// What becomes of somebody who wants room in a pool that is full.
enum class WhenFull : std::uint8_t {
  grows,    ///< nothing is refused: `bound_bytes` is 0
  waits,    ///< whoever reads stops reading until something is given back
  evicts,   ///< the entry that was used longest ago makes room
  refuses,  ///< the new one is turned away
  merges,   ///< what does not fit is counted under "other"
};

struct MemoryPool {
  std::string name;  ///< "slices", "flow-records", "dns-cache"
  std::uint64_t used_bytes = 0;
  std::uint64_t bound_bytes = 0;  ///< 0: bounded by nothing but what uses it
  std::uint64_t high_bytes = 0;   ///< the most since start; 0: not kept
  std::uint64_t items = 0;
  std::uint64_t max_items = 0;  ///< 0: no bound on their count
  WhenFull when_full = WhenFull::grows;
  friend bool operator==(const MemoryPool&, const MemoryPool&) = default;
};

using MemoryReport = std::vector<MemoryPool>;

}  // namespace sluice::contract
