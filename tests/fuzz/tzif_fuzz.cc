// Zone files and rules: what is read is a table that a block can hold, whatever the bytes.
#include <cstdint>
#include <cstdlib>

#include "controlplane/zoneinfo/limits.h"
#include "controlplane/zoneinfo/posix_zone.h"
#include "controlplane/zoneinfo/tzif.h"

namespace {

using namespace sluice;
using namespace sluice::zoneinfo;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const ruleset::Zone& zone, Span span) {
  require(is_offset(zone.first_offset_s) && zone.transitions.size() <= kMaxTransitions);
  std::int64_t last = span.from;
  std::int32_t offset_s = zone.first_offset_s;
  for (const auto& transition : zone.transitions) {
    require(transition.at > last && transition.at < span.to);
    require(is_offset(transition.offset_s) && transition.offset_s != offset_s);
    last = transition.at;
    offset_s = transition.offset_s;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const std::int64_t now_s : {std::int64_t{0}, std::int64_t{1'780'000'000}}) {
    const Span span = span_around(now_s);
    if (const auto zone = parse_tzif(bytes, span)) check(*zone, span);
    if (const auto rule = parse_posix_tz(as_text(bytes))) {
      const auto zone = table_of(*rule, span);
      require(zone.has_value());
      check(*zone, span);
    }
  }
  return 0;
}
