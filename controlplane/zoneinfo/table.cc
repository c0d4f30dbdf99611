#include "controlplane/zoneinfo/table.h"

#include <array>
#include <utility>

#include "controlplane/zoneinfo/limits.h"
#include "proto/common/cursor.h"

namespace sluice::zoneinfo {

void TableWriter::change(std::int64_t at, std::int32_t offset_s) {
  if (at >= span_.to || offset_s == last_s_) return;
  last_s_ = offset_s;
  if (at <= span_.from) {
    zone_.first_offset_s = offset_s;
  } else if (zone_.transitions.size() == kMaxTransitions) {
    overflow_ = true;
  } else {
    zone_.transitions.push_back({at, offset_s});
  }
}

Result<ruleset::Zone> TableWriter::finish() {
  if (overflow_) return fail(Errc::too_large);
  return std::move(zone_);
}

void append_bytes(const ruleset::Zone& zone, std::string& to) {
  std::array<std::byte, 12> room;
  Writer head(room);
  head.u32be(static_cast<std::uint32_t>(zone.first_offset_s));
  head.u64be(zone.transitions.size());
  to += as_text(head.written());
  for (const ruleset::Zone::Transition& transition : zone.transitions) {
    Writer out(room);
    out.u64be(static_cast<std::uint64_t>(transition.at));
    out.u32be(static_cast<std::uint32_t>(transition.offset_s));
    to += as_text(out.written());
  }
}

}  // namespace sluice::zoneinfo
