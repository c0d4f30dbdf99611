// geosite.dat and geoip.dat: every category is listed, found by its name and read as both kinds.
#include <cstdint>

#include "controlplane/ruleformats/geo_dat.h"
#include "tests/fuzz/rule_entries.h"

namespace {

using namespace sluice;
using namespace sluice::ruleformats;

void read(const GeoCategory& category) {
  CheckedEntries all;
  const auto sites = read_geosite(category, {}, kFuzzBounds, all);
  all.check(sites);
  CheckedEntries some;
  const auto marked = read_geosite(category, {"cn"}, kFuzzBounds, some);
  some.check(marked);
  if (sites && marked) require(some.count <= all.count);
  CheckedEntries networks;
  const auto geoip = read_geoip(category, kFuzzBounds, networks);
  if (geoip) networks.check(geoip->tally);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file = std::as_bytes(std::span(data, size));
  GeoCategories categories(file);
  int count = 0;
  for (GeoCategory category; count < 100 && categories.next(category); ++count) {
    require(category.offset + category.entry.size() <= file.size());
    read(category);
    const auto found = find_category(file, category.code, kFuzzBounds);
    require(found && found->offset <= category.offset);
  }
  return 0;
}
