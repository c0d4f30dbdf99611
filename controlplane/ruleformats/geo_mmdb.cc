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
  MmdbBudget budget = mmdb.walk_budget();
  const auto judge_here = [&](std::uint64_t at) { return judge(mmdb.data().at(at), budget); };
  Prefix prefix;
  std::uint64_t record = 0;
  while (!feed.full() && !budget.spent() && networks.next(prefix, record))
    if (memo->wanted(record, judge_here)) feed.prefix(prefix, {feed.next_entry(), 0, 0});
  if (auto refusal = refusal_of(networks, budget)) return std::unexpected(*refusal);
  return feed.finish();
}

}  // namespace

std::vector<std::string_view> record_codes(const Mmdb& mmdb, const MmdbValue& record,
                                           MmdbBudget& budget) {
  const MmdbData& data = mmdb.data();
  budget.begin_record();
  std::vector<std::string_view> out;
  const auto add = [&](const MmdbValue& value) {
    const std::string_view code = data.text(value);
    if (!code.empty() && code.size() <= kMaxCode_bytes) out.push_back(code);
  };
  if (record.type == MmdbType::array) {
    std::uint64_t offset = record.offset;
    for (std::uint32_t i = 0; i < std::min(record.size, kMaxRecordCodes); ++i) {
      const MmdbValue item = data.item(record, i, offset, budget);
      if (item.type == MmdbType::none) break;
      add(item);
    }
  } else if (record.type == MmdbType::text) {
    add(record);
  } else {
    add(data.member(data.member(record, "country", budget), "iso_code", budget));
  }
  return out;
}

std::uint32_t record_asn(const Mmdb& mmdb, const MmdbValue& record, MmdbBudget& budget) {
  const MmdbData& data = mmdb.data();
  budget.begin_record();
  std::uint64_t out = 0;
  if (const auto number = data.number(data.member(record, "autonomous_system_number", budget))) {
    out = *number;
  } else {
    const std::string_view text = data.text(data.member(record, "asn", budget));
    if (!iequals(text.substr(0, 2), "AS")) return 0;
    out = parse_number(text.substr(2), UINT32_MAX).value_or(0);
  }
  return out <= UINT32_MAX ? static_cast<std::uint32_t>(out) : 0;
}

std::optional<Refusal> refusal_of(const MmdbNetworks& walk, const MmdbBudget& budget) {
  if (walk.failed()) return Refusal{Errc::malformed, 0, "has a tree that leads in circles"};
  if (budget.spent()) return Refusal{Errc::malformed, 0, "has records that are too large"};
  return std::nullopt;
}

Outcome<Tally> read_mmdb_country(const Mmdb& mmdb, std::string_view code, const Bounds& bounds,
                                 Entries& to) {
  return read_prefixes(mmdb, bounds, to, [&](const MmdbValue& record, MmdbBudget& budget) {
    return std::ranges::any_of(record_codes(mmdb, record, budget),
                               [code](std::string_view has) { return iequals(has, code); });
  });
}

Outcome<Tally> read_mmdb_asn(const Mmdb& mmdb, std::uint32_t number, const Bounds& bounds,
                             Entries& to) {
  return read_prefixes(mmdb, bounds, to, [&](const MmdbValue& record, MmdbBudget& budget) {
    return number != 0 && record_asn(mmdb, record, budget) == number;
  });
}

Outcome<std::vector<std::string>> mmdb_country_codes(const Mmdb& mmdb) {
  const auto memo = std::make_unique<RecordMemo>();
  std::set<std::string> codes;
  MmdbBudget budget = mmdb.walk_budget();
  const auto collect = [&](std::uint64_t record) {
    for (const std::string_view code : record_codes(mmdb, mmdb.data().at(record), budget)) {
      std::string lower(code);
      std::ranges::transform(lower, lower.begin(), to_lower);
      if (codes.size() < kMaxCodes) codes.insert(std::move(lower));
    }
    return false;
  };
  MmdbNetworks networks(mmdb);
  Prefix prefix;
  std::uint64_t record = 0;
  while (!budget.spent() && networks.next(prefix, record)) memo->wanted(record, collect);
  if (auto refusal = refusal_of(networks, budget)) return std::unexpected(*refusal);
  return std::vector<std::string>(codes.begin(), codes.end());
}

}  // namespace sluice::ruleformats
