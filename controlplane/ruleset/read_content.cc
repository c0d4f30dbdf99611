#include "controlplane/ruleset/read_content.h"

#include <algorithm>
#include <utility>

#include "controlplane/ruleformats/geo_dat.h"
#include "controlplane/ruleformats/geo_mmdb.h"
#include "controlplane/ruleformats/item.h"
#include "controlplane/ruleformats/lines.h"
#include "controlplane/ruleformats/yaml_list.h"
#include "controlplane/ruleset/typed_entries.h"
#include "proto/common/text.h"

namespace sluice::sets {
namespace {

using ruleformats::Outcome;
using ruleformats::Tally;

class Nobody final : public compile::SetEntries {
 public:
  void name(const ruleformats::NameEntry& entry) override { (void)entry; }
  void prefix(const Prefix& prefix) override { (void)prefix; }
  void condition(const model::Condition& condition) override { (void)condition; }
};

/// Every line is an entry; comments are for files.
Outcome<Tally> read_inline(const Source& source, ByteView bytes, TypedEntries& to) {
  ruleformats::Feed feed(to, bounds_of(source));
  ruleformats::Lines lines(as_text(bytes));
  while (!feed.full() && lines.next())
    ruleformats::feed_item(source.behavior, lines.text(), {feed.next_entry(), 0, 0}, feed);
  return feed.finish();
}

Findings findings_of(TypedEntries& entries, std::string refusal) {
  return {entries.tally(), entries.take_faults(), std::move(refusal)};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

/// All categories of a geosite.dat or geoip.dat.
Findings judge_dat(const Source& source, ByteView bytes) {
  const ruleformats::Bounds bounds = bounds_of(source);
  Nobody nobody;
  TypedEntries to(nobody);
  ruleformats::GeoCategories categories(bytes);
  for (ruleformats::GeoCategory category; categories.next(category);) {
    to.begin_list(lower(category.code));
    if (source.kind == SourceKind::geosite) {
      if (const auto read = read_geosite(category, {}, bounds, to); !read)
        return findings_of(to, to_sentence(read.error()));
    } else if (const auto read = read_geoip(category, bounds, to); !read) {
      return findings_of(to, to_sentence(read.error()));
    }
  }
  if (categories.failed()) return findings_of(to, to_sentence(categories.refusal()));
  return findings_of(to, to.tally().entries == 0 ? "has no entries" : "");
}

Findings judge_countries(const ruleformats::Mmdb& mmdb) {
  Findings out;
  const auto codes = mmdb_country_codes(mmdb);
  if (!codes) {
    out.refusal = to_sentence(codes.error());
  } else if (codes->empty()) {
    out.refusal = "has no country codes";
  } else {
    out.tally.entries = static_cast<std::uint32_t>(codes->size());
  }
  return out;
}

Findings judge_networks(const ruleformats::Mmdb& mmdb) {
  Findings out;
  ruleformats::MmdbNetworks networks(mmdb);
  Prefix prefix;
  std::uint64_t record = 0;
  bool numbered = false;
  ruleformats::MmdbBudget budget = mmdb.walk_budget();
  while (!budget.spent() && networks.next(prefix, record)) {
    ++out.tally.entries;
    numbered = numbered || record_asn(mmdb, mmdb.data().at(record), budget) != 0;
  }
  if (const auto refusal = refusal_of(networks, budget))
    out.refusal = to_sentence(*refusal);
  else if (!numbered)
    out.refusal = "has no numbers of autonomous systems";
  return out;
}

Findings judge_mmdb(const Source& source, ByteView bytes) {
  const auto mmdb = ruleformats::Mmdb::open(bytes, source.most);
  if (!mmdb) return {{}, {}, to_sentence(mmdb.error())};
  return source.kind == SourceKind::asn_mmdb ? judge_networks(*mmdb) : judge_countries(*mmdb);
}

/// "line 3: \"foo\": is not an address or prefix"
std::string in_words(const EntryFault& fault) {
  std::string out = fault.place.line != 0 ? "line " + std::to_string(fault.place.line)
                                          : "entry " + std::to_string(fault.place.entry);
  if (!fault.text.empty()) out.append(": ").append(fault.text);
  return out.append(": ").append(fault.reason);
}

/// What a captive portal gives in place of a list. Most lines of it would pass for names.
bool is_web_page(const Source& source, ByteView bytes) noexcept {
  using enum ruleformats::Format;
  const bool plain = source.format == text || source.format == adguard || source.format == hosts;
  if (!plain || source.kind == SourceKind::inline_list) return false;
  std::string_view start = as_text(bytes);
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  return trim(start).starts_with('<');
}

}  // namespace

ruleformats::Bounds bounds_of(const Source& source) noexcept {
  ruleformats::Bounds out;
  out.input_bytes = std::min(out.input_bytes, source.most);
  return out;
}

std::string to_sentence(const ruleformats::Refusal& refusal) {
  std::string out(refusal.reason);
  if (refusal.offset != 0) out += " (at byte " + std::to_string(refusal.offset) + ")";
  return out;
}

Findings read_list(const Source& source, ByteView bytes, compile::SetEntries& to) {
  TypedEntries entries(to);
  const auto read =
      source.kind == SourceKind::inline_list
          ? read_inline(source, bytes, entries)
          : read_rule_file(source.format, source.behavior, bytes, bounds_of(source), entries);
  if (read) return findings_of(entries, {});
  std::string refusal = to_sentence(read.error());
  if (read.error().reason == ruleformats::kNoPayload)
    refusal += "; for a list with one entry a line write `format: text`";
  return findings_of(entries, std::move(refusal));
}

Findings judge(const Source& source, ByteView bytes) {
  if (bytes.size() > source.most)
    return {{}, {}, "is larger than the limit of " + std::to_string(source.most) + " bytes"};
  switch (source.kind) {
    case SourceKind::geosite:
    case SourceKind::geoip_dat:
      return judge_dat(source, bytes);
    case SourceKind::country_mmdb:
    case SourceKind::asn_mmdb:
      return judge_mmdb(source, bytes);
    default:
      break;
  }
  if (is_web_page(source, bytes)) return {{}, {}, "is a web page, not a list"};
  Nobody nobody;
  Findings out = read_list(source, bytes, nobody);
  if (out.refusal.empty() && out.tally.entries == 0 && out.tally.faults != 0)
    out.refusal = "has no usable entry (" + in_words(out.faults.front()) + ")";
  return out;
}

}  // namespace sluice::sets
