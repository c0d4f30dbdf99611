// ruleset/zones.h - the time zones of a block.
//
// Thread: immutable view; the block must outlive it.
#pragma once

#include <expected>

#include "proto/ruleset/format.h"

namespace sluice::ruleset {

class Zones {
 public:
  Zones() noexcept = default;
  /// Checks bounds, the order of the transitions, and that offsets stay below a day.
  static std::expected<Zones, Invalid> open(ByteView section, std::size_t offset);

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  /// Local time minus UTC, seconds.
  [[nodiscard]] std::int32_t offset_at(std::uint32_t zone, std::int64_t utc_seconds) const noexcept;

 private:
  inline static constexpr std::uint32_t kTransition_bytes = 12;
  [[nodiscard]] std::int64_t moment(std::uint32_t transition) const noexcept {
    return static_cast<std::int64_t>(
        load_u64(transitions_ + kTransition_bytes * static_cast<std::size_t>(transition)));
  }
  [[nodiscard]] std::int32_t offset(std::uint32_t transition) const noexcept {
    return static_cast<std::int32_t>(
        load_u32(transitions_ + kTransition_bytes * static_cast<std::size_t>(transition) + 8));
  }

  std::uint32_t count_ = 0;
  Words zones_;                             // triples: first transition, count, first offset
  const std::byte* transitions_ = nullptr;  // moment(8) offset(4)
};

}  // namespace sluice::ruleset
