// MaxMind databases: the walk over all prefixes ends, and what it says of a prefix is what looking
// up an address of it says.
#include <cstdint>

#include "controlplane/ruleformats/geo_mmdb.h"
#include "tests/fuzz/rule_entries.h"

namespace {

using namespace sluice;
using namespace sluice::ruleformats;

constexpr int kMostPrefixes = 2000;

void walk(const Mmdb& mmdb) {
  MmdbNetworks networks(mmdb);
  Prefix prefix;
  std::uint64_t record = 0;
  MmdbBudget budget = mmdb.walk_budget();
  for (int i = 0; i < kMostPrefixes && networks.next(prefix, record); ++i) {
    require(Prefix::of(prefix.base, prefix.length) == prefix);
    const MmdbValue value = mmdb.data().at(record);
    // IPv4 prefixes may stand below ::ffff:0:0/96, where no address is looked up.
    if (prefix.base.is_v6() || !mmdb.has_v6()) {
      const MmdbValue found = mmdb.find(prefix.base);
      require(found.type == value.type && found.offset == value.offset);
    }
    static_cast<void>(record_codes(mmdb, value, budget));
    static_cast<void>(record_asn(mmdb, value, budget));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto mmdb = Mmdb::open(std::as_bytes(std::span(data, size)), size);
  if (!mmdb) {
    require(mmdb.error().code != Errc::none && !mmdb.error().reason.empty());
    return 0;
  }
  walk(*mmdb);
  CheckedEntries countries;
  countries.check(read_mmdb_country(*mmdb, "cn", kFuzzBounds, countries));
  CheckedEntries systems;
  systems.check(read_mmdb_asn(*mmdb, 13335, kFuzzBounds, systems));
  static_cast<void>(mmdb_country_codes(*mmdb));
  MmdbBudget budget = mmdb->walk_budget();
  for (const char* address : {"10.1.0.1", "255.255.255.255", "2001:db8::1", "::", "2002:a01::1"})
    static_cast<void>(record_codes(*mmdb, mmdb->find(*IpAddress::parse(address)), budget));
  return 0;
}
