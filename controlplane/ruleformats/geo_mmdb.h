// ruleformats/geo_mmdb.h - the prefixes of a country or of an autonomous system out of an mmdb
// file.
//
//   Country.mmdb    {"country": {"iso_code": "CN"}}          sing-geoip      "cn"
//   geoip.metadb    "cn" or ["cn", "cloudflare"]             (type Meta-geoip0)
//   GeoLite2-ASN    {"autonomous_system_number": 13335}      ipinfo          {"asn": "AS13335"}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleformats/mmdb.h"

namespace sluice::ruleformats {

/// `code` is compared without regard to case. A code that no record has gives nothing.
/// Errors: malformed (a tree that is none, records beyond Mmdb::walk_budget()), too_large
/// (entries).
[[nodiscard]] Outcome<Tally> read_mmdb_country(const Mmdb& mmdb, std::string_view code,
                                               const Bounds& bounds, Entries& to);
/// Errors: as read_mmdb_country.
[[nodiscard]] Outcome<Tally> read_mmdb_asn(const Mmdb& mmdb, std::uint32_t number,
                                           const Bounds& bounds, Entries& to);

/// All codes of a country file, sorted, in lower case: for the message about one that is unknown.
/// At most kMaxCodes. Errors: malformed.
[[nodiscard]] Outcome<std::vector<std::string>> mmdb_country_codes(const Mmdb& mmdb);

/// The codes of one record. Views into the file.
[[nodiscard]] std::vector<std::string_view> record_codes(const Mmdb& mmdb, const MmdbValue& record,
                                                         MmdbBudget& budget);
/// The number of one record; 0 when it has none.
[[nodiscard]] std::uint32_t record_asn(const Mmdb& mmdb, const MmdbValue& record,
                                       MmdbBudget& budget);
/// What a walk ended with that had to read records: nothing wrong, or why the file is refused.
[[nodiscard]] std::optional<Refusal> refusal_of(const MmdbNetworks& walk, const MmdbBudget& budget);

}  // namespace sluice::ruleformats
