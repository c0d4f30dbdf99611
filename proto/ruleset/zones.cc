#include "proto/ruleset/zones.h"

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/section_reader.h"

namespace sluice::ruleset {
namespace {

constexpr std::int32_t kDay_s = 24 * 60 * 60;

bool is_offset(std::int32_t seconds) noexcept {
  return seconds > -kDay_s && seconds < kDay_s;
}

}  // namespace

std::expected<Zones, Invalid> Zones::open(ByteView section, std::size_t offset) {
  const auto refuse = [offset](std::string_view why) {
    return std::unexpected(Invalid{why, offset});
  };
  Zones out;
  SectionReader in(section);
  out.count_ = in.u32();
  const std::uint32_t transitions = in.u32();
  if (out.count_ == 0 || out.count_ > kMaxZones) return refuse("zones: impossible counts");
  out.zones_ = Words(in.array(out.count_, 12));
  out.transitions_ = in.array(transitions, kTransition_bytes).data();
  if (!in.complete()) return refuse("zones: arrays do not fill the section");
  std::uint32_t used = 0;
  for (std::uint32_t z = 0; z < out.count_; ++z) {
    const std::uint32_t first = out.zones_[3 * z];
    const std::uint32_t count = out.zones_[3 * z + 1];
    if (first != used || count > transitions - used) return refuse("zones: a zone out of place");
    used += count;
    if (!is_offset(static_cast<std::int32_t>(out.zones_[3 * z + 2])))
      return refuse("zones: an impossible offset");
    for (std::uint32_t i = first; i < first + count; ++i) {
      if (!is_offset(out.offset(i))) return refuse("zones: an impossible offset");
      if (i > first && out.moment(i) <= out.moment(i - 1))
        return refuse("zones: transitions are out of order");
    }
  }
  return used == transitions ? std::expected<Zones, Invalid>(out)
                             : refuse("zones: transitions without a zone");
}

std::int32_t Zones::offset_at(std::uint32_t zone, std::int64_t utc_seconds) const noexcept {
  const std::uint32_t first = zones_[3 * zone];
  std::uint32_t low = first;
  std::uint32_t count = zones_[3 * zone + 1];
  while (count > 0) {  // the number of transitions at or before the moment
    const std::uint32_t half = count / 2;
    if (moment(low + half) <= utc_seconds) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low == first ? static_cast<std::int32_t>(zones_[3 * zone + 2]) : offset(low - 1);
}

}  // namespace sluice::ruleset
