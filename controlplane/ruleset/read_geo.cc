#include "controlplane/ruleset/read_geo.h"

#include <algorithm>
#include <utility>

#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/words.h"
#include "controlplane/ruleformats/geo_dat.h"
#include "controlplane/ruleformats/geo_mmdb.h"
#include "controlplane/ruleset/read_content.h"
#include "controlplane/ruleset/typed_entries.h"
#include "proto/common/text.h"

namespace sluice::sets {
namespace {

using ruleformats::GeoReference;

constexpr std::string_view kMatchesNothing = "it matches nothing";

GeoSet nothing(std::string problem) {
  return {{}, std::move(problem)};
}

GeoSet unknown(std::string_view what, std::string_view word, const model::Nearest& nearest) {
  return nothing("has no " + std::string(what) + " " + model::quote(word) + "; " +
                 nearest.remedy(kMatchesNothing));
}

GeoSet unknown_category(std::string_view what, std::string_view word, ByteView file) {
  model::Nearest nearest(word);
  ruleformats::GeoCategories categories(file);
  for (ruleformats::GeoCategory category; categories.next(category);) {
    std::string code(category.code);
    std::ranges::transform(code, code.begin(), to_lower);
    nearest.offer(code);
  }
  return unknown(what, word, nearest);
}

GeoSet read_sites(const Source& source, const GeoReference& wanted, ByteView file,
                  TypedEntries& to) {
  const auto category = find_category(file, wanted.category, bounds_of(source));
  if (!category) return unknown_category("category", wanted.category, file);
  const auto read = read_geosite(*category, wanted.attributes, bounds_of(source), to);
  if (!read) return nothing(to_sentence(read.error()));
  if (to.tally().entries != 0) return {{wanted.inverse}, {}};
  std::string problem = "has no entry in category " + model::quote(wanted.category);
  for (const std::string_view attribute : wanted.attributes)
    problem.append(" with @").append(attribute);
  return nothing(problem.append("; ").append(kMatchesNothing));
}

GeoSet read_country(const Source& source, const GeoReference& wanted, ByteView file,
                    TypedEntries& to) {
  const auto category = find_category(file, wanted.category, bounds_of(source));
  if (!category) return unknown_category("country", wanted.category, file);
  const auto read = read_geoip(*category, bounds_of(source), to);
  if (!read) return nothing(to_sentence(read.error()));
  return {{wanted.inverse != read->inverse}, {}};
}

GeoSet read_country(const Source& source, const GeoReference& wanted, const ruleformats::Mmdb& mmdb,
                    TypedEntries& to) {
  const auto read = read_mmdb_country(mmdb, wanted.category, bounds_of(source), to);
  if (!read) return nothing(to_sentence(read.error()));
  if (to.tally().entries != 0) return {{wanted.inverse}, {}};
  model::Nearest nearest(wanted.category);
  if (const auto codes = mmdb_country_codes(mmdb))
    for (const std::string& code : *codes) nearest.offer(code);
  return unknown("country", wanted.category, nearest);
}

GeoSet read_networks(const Source& source, std::string_view name, const ruleformats::Mmdb& mmdb,
                     TypedEntries& to) {
  const auto number = parse_number(name, UINT32_MAX);
  if (!number) return nothing("has no number " + model::quote(name));
  const auto read = read_mmdb_asn(mmdb, static_cast<std::uint32_t>(*number), bounds_of(source), to);
  if (!read) return nothing(to_sentence(read.error()));
  if (to.tally().entries != 0) return {};
  return nothing("has no prefixes of AS" + std::string(name) + "; " + std::string(kMatchesNothing));
}

}  // namespace

GeoSet read_geo(const Source& source, std::string_view name, ByteView bytes,
                compile::SetEntries& to) {
  TypedEntries entries(to);
  const bool dat = source.kind == SourceKind::geosite || source.kind == SourceKind::geoip_dat;
  const auto wanted = GeoReference::parse(name);
  if (!wanted) return nothing("cannot have a set called " + model::quote(name));
  if (dat)
    return source.kind == SourceKind::geosite ? read_sites(source, *wanted, bytes, entries)
                                              : read_country(source, *wanted, bytes, entries);
  const auto mmdb = ruleformats::Mmdb::open(bytes, source.most);
  if (!mmdb) return nothing(to_sentence(mmdb.error()));
  return source.kind == SourceKind::asn_mmdb ? read_networks(source, name, *mmdb, entries)
                                             : read_country(source, *wanted, *mmdb, entries);
}

}  // namespace sluice::sets
