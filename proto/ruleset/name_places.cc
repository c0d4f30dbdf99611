#include "proto/ruleset/name_places.h"

#include <algorithm>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/name_index.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint32_t kSlots = NameIndex::kSlots;

std::uint32_t smallest_table(std::size_t names) {
  return static_cast<std::uint32_t>(names / 6 + 1);
}
std::uint32_t largest_table(std::size_t names) {
  return static_cast<std::uint32_t>(names / 2 + 64);
}

/// False when the name finds no slot.
bool place(NamePlaces& to, std::size_t name, std::uint64_t hash) {
  std::uint32_t bucket = home_bucket(hash, to.bucket_count);
  const std::uint32_t most = std::min(kMaxProbe, to.bucket_count);
  for (std::uint32_t step = 1; step <= most; ++step) {
    const auto first = to.prints.begin() + static_cast<std::ptrdiff_t>(bucket) * kSlots;
    const auto free = std::find(first, first + kSlots, 0);
    if (free != first + kSlots) {
      *free = fingerprint(hash);
      to.slots[name] = static_cast<std::uint32_t>(free - to.prints.begin());
      to.probes = std::max(to.probes, step);
      return true;
    }
    bucket = bucket + 1 == to.bucket_count ? 0 : bucket + 1;
  }
  return false;
}

NamePlaces empty_table(std::uint32_t bucket_count, std::size_t names) {
  NamePlaces out;
  out.bucket_count = bucket_count;
  out.probes = 1;
  out.prints.resize(static_cast<std::size_t>(bucket_count) * kSlots);
  out.slots.resize(names, kNone);
  return out;
}

}  // namespace

std::optional<NamePlaces> place_names(std::span<const std::uint64_t> hashes) {
  const std::uint32_t largest = largest_table(hashes.size());
  for (std::uint32_t size = smallest_table(hashes.size()); size <= largest; size += size / 8 + 1) {
    NamePlaces out = empty_table(size, hashes.size());
    std::size_t placed = 0;
    while (placed < hashes.size() && place(out, placed, hashes[placed])) ++placed;
    if (placed == hashes.size()) return out;
  }
  return std::nullopt;
}

NamePlaces place_most_names(std::span<const std::uint64_t> hashes) {
  NamePlaces out = empty_table(largest_table(hashes.size()), hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) (void)place(out, i, hashes[i]);
  return out;
}

}  // namespace sluice::ruleset
