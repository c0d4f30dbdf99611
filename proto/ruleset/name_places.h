// ruleset/name_places.h - slots of the name index for names that have been hashed.
//
//   hash -> home bucket of 8 slots; full: the next bucket, at most kMaxProbe of them
//
// Names whose hashes agree in the upper half share their home at every size, so 8 * kMaxProbe of
// them fill all that a look-up would touch. The table then takes another seed (write_names.cc); if
// none helps, the names that found no slot are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sluice::ruleset {

struct NamePlaces {
  std::uint32_t bucket_count = 0;
  std::uint32_t probes = 0;          ///< buckets that the longest probe touches
  std::vector<std::uint8_t> prints;  ///< by slot: the fingerprint; 0: free
  std::vector<std::uint32_t> slots;  ///< by name; kNone: found none
};

/// A table three quarters full, or emptier if that is what short probes need: down to a quarter,
/// and one so small that the bound cannot matter. Errors: nothing when no such size will do.
[[nodiscard]] std::optional<NamePlaces> place_names(std::span<const std::uint64_t> hashes);

/// The emptiest such table, with those names that find a slot in it, the first ones first.
[[nodiscard]] NamePlaces place_most_names(std::span<const std::uint64_t> hashes);

}  // namespace sluice::ruleset
