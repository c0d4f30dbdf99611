#include "controlplane/ruleformats/geo_mmdb.h"

#include <algorithm>
#include <memory>
#include <set>

#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

/// Codes of one record, and of one file. geoip.metadb has some 260.
constexpr std::uint32_t kMaxRecordCodes = 64;
constexpr std::size_t kMaxCodes = 4096;

/// Verdicts on records by their place: hundreds of thousands of prefixes share a few records.
/// Fixed in size, so that a file decides nothing about our memory.
class RecordMemo {
 public:
  template <class Judge>
  bool wanted(std::uint64_t offset, const Judge& judge) {
    Slot& slot = slots_[offset % kSlots];
    if (!slot.used || slot.offset != offset) slot = {offset, true, judge(offset)};
    return slot.wanted;
  }

 private:
  static constexpr std::size_t kSlots = 1021;
  struct Slot {
    std::uint64_t offset = 0;
    bool used = false;
    bool wanted = false;
  };
  std::array<Slot, kSlots> slots_{};
};

template <class Judge>
Outcome<Tally> read_prefixes(const Mmdb& mmdb, const Bounds& bounds, Entries& to,
                             const Judge& judge) {
  const auto memo = std::make_unique<RecordMemo>();
  Feed feed(to, bounds);
  MmdbNetworks networks(mmdb);
  Prefix prefix;
  std::uint64_t record = 0;
  while (!feed.full() && networks.next(prefix, record))
    if (memo->wanted(record, judge)) feed.prefix(prefix, {feed.next_entry(), 0, 0});
  if (networks.failed()) return refuse(Errc::malformed, 0, "has a tree that leads in circles");
  return feed.finish();
}

}  // namespace

std::vector<std::string_view> record_codes(const Mmdb& mmdb, const MmdbValue& record) {
  const MmdbData& data = mmdb.data();
  std::vector<std::string_view> out;
  const auto add = [&](const MmdbValue& value) {
    if (const std::string_view code = data.text(value); !code.empty()) out.push_back(code);
  };
  if (record.type == MmdbType::array) {
    std::uint64_t offset = record.offset;
    for (std::uint32_t i = 0; i < std::min(record.size, kMaxRecordCodes); ++i) {
      const MmdbValue item = data.item(record, i, offset);
      if (item.type == MmdbType::none) break;
      add(item);
    }
  } else if (record.type == MmdbType::text) {
    add(record);
  } else {
    add(data.member(data.member(record, "country"), "iso_code"));
  }
  return out;
}

std::uint32_t record_asn(const Mmdb& mmdb, const MmdbValue& record) {
  const MmdbData& data = mmdb.data();
  std::uint64_t out = 0;
  if (const auto number = data.number(data.member(record, "autonomous_system_number"))) {
    out = *number;
  } else {
    const std::string_view text = data.text(data.member(record, "asn"));
    if (!iequals(text.substr(0, 2), "AS")) return 0;
    out = parse_number(text.substr(2), UINT32_MAX).value_or(0);
  }
  return out <= UINT32_MAX ? static_cast<std::uint32_t>(out) : 0;
}

Outcome<Tally> read_mmdb_country(const Mmdb& mmdb, std::string_view code, const Bounds& bounds,
                                 Entries& to) {
  return read_prefixes(mmdb, bounds, to, [&](std::uint64_t record) {
    return std::ranges::any_of(record_codes(mmdb, mmdb.data().at(record)),
                               [code](std::string_view has) { return iequals(has, code); });
  });
}

Outcome<Tally> read_mmdb_asn(const Mmdb& mmdb, std::uint32_t number, const Bounds& bounds,
                             Entries& to) {
  return read_prefixes(mmdb, bounds, to, [&](std::uint64_t record) {
    return number != 0 && record_asn(mmdb, mmdb.data().at(record)) == number;
  });
}

Outcome<std::vector<std::string>> mmdb_country_codes(const Mmdb& mmdb) {
  const auto memo = std::make_unique<RecordMemo>();
  std::set<std::string> codes;
  const auto collect = [&](std::uint64_t record) {
    for (const std::string_view code : record_codes(mmdb, mmdb.data().at(record))) {
      std::string lower(code);
      std::ranges::transform(lower, lower.begin(), to_lower);
      if (codes.size() < kMaxCodes) codes.insert(std::move(lower));
    }
    return false;
  };
  MmdbNetworks networks(mmdb);
  Prefix prefix;
  std::uint64_t record = 0;
  while (networks.next(prefix, record)) memo->wanted(record, collect);
  if (networks.failed()) return refuse(Errc::malformed, 0, "has a tree that leads in circles");
  return std::vector<std::string>(codes.begin(), codes.end());
}

}  // namespace sluice::ruleformats
