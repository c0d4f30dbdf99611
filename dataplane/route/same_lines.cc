#include "dataplane/route/same_lines.h"

#include <algorithm>
#include <compare>

#include "proto/common/hash.h"

namespace sluice::route {
namespace {

using contract::Manifest;

/// Lines of one manifest, by what they are and then by where they stand.
struct Known {
  std::uint64_t hash;
  std::uint32_t index;
  friend auto operator<=>(const Known&, const Known&) = default;
};

std::uint64_t hash_of(const Manifest& m, std::uint32_t index) noexcept {
  const contract::RuleLine& line = m.rules[index];
  std::uint64_t h = hash_bytes(as_byte_view(line.list));
  h = hash_bytes(as_byte_view(line.type), h);
  h = hash_bytes(as_byte_view(line.payload), h);
  return hash_bytes(as_byte_view(m.outbounds[line.outbound].name), h);
}

bool same(const Manifest& a, std::uint32_t i, const Manifest& b, std::uint32_t j) noexcept {
  const contract::RuleLine& x = a.rules[i];
  const contract::RuleLine& y = b.rules[j];
  return x.payload == y.payload && x.type == y.type && x.list == y.list &&
         a.outbounds[x.outbound].name == b.outbounds[y.outbound].name;
}

std::vector<Known> known_from(const Manifest& m, std::uint32_t first) {
  std::vector<Known> out;
  const auto count = static_cast<std::uint32_t>(m.rules.size());
  out.reserve(count - first);
  for (std::uint32_t i = first; i < count; ++i) out.push_back({hash_of(m, i), i});
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<SameLine> same_lines(const Manifest& before, const Manifest& now) {
  std::vector<SameLine> out;
  const auto shorter = static_cast<std::uint32_t>(std::min(before.rules.size(), now.rules.size()));
  out.reserve(shorter);
  std::uint32_t first = 0;
  for (; first < shorter && same(before, first, now, first); ++first) out.push_back({first, first});
  // Behind here the n-th of equal lines is as many further on both sides.
  const std::vector<Known> old = known_from(before, first);
  const std::vector<Known> fresh = known_from(now, first);
  std::size_t i = 0;
  for (std::size_t j = 0; j < fresh.size(); ++j) {
    while (i < old.size() && old[i].hash < fresh[j].hash) ++i;
    if (i == old.size()) break;
    if (old[i].hash != fresh[j].hash) continue;
    // Two different lines of one hash lose their counts, no more.
    if (same(before, old[i].index, now, fresh[j].index))
      out.push_back({old[i].index, fresh[j].index});
    ++i;
  }
  return out;
}

}  // namespace sluice::route
