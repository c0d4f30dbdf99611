#include "ui/cli/convert/geo_part.h"

#include <vector>

#include "controlplane/model/read/nearest.h"
#include "controlplane/ruleformats/geo_dat.h"
#include "controlplane/ruleformats/geo_mmdb.h"
#include "ui/cli/convert/census.h"
#include "ui/cli/human.h"

namespace sluice::cli {
namespace {

using ruleformats::Bounds;
using ruleformats::Entries;
using ruleformats::GeoCategory;
using ruleformats::Mmdb;
using ruleformats::Outcome;
using ruleformats::refuse;
using ruleformats::Tally;

constexpr std::string_view kInverse =
    "means everything but its entries, which no list of entries can say";

/// The two kinds of dat files share their outer form; an item of one has no meaning in the other.
bool holds_addresses(const GeoCategory& category, const Bounds& bounds) {
  Census as_names, as_addresses;
  (void)read_geosite(category, {}, bounds, as_names);
  (void)read_geoip(category, bounds, as_addresses);
  return as_addresses.entries() > as_names.entries();
}

Outcome<Tally> read_addresses(const GeoCategory& category, const Bounds& bounds, Entries& to) {
  const auto read = read_geoip(category, bounds, to);
  if (!read) return std::unexpected(read.error());
  if (read->inverse) return refuse(Errc::unsupported, 0, kInverse);
  return read->tally;
}

std::string remedy(const std::string& word, const std::vector<std::string>& parts) {
  model::Nearest nearest(word);
  for (const std::string& part : parts) nearest.offer(part);
  return nearest.remedy("it has " + counted(parts.size(), "other"));
}

std::vector<std::string> categories_of(ByteView file) {
  std::vector<std::string> out;
  ruleformats::GeoCategories categories(file);
  for (GeoCategory category; categories.next(category);) out.emplace_back(category.code);
  return out;
}

}  // namespace

Outcome<Tally> read_dat(ByteView file, const std::string& category, const Bounds& bounds,
                        Entries& to) {
  const auto wanted = ruleformats::GeoReference::parse(category);
  if (!wanted) return refuse(Errc::malformed, 0, "has no category of such a name");
  if (wanted->inverse) return refuse(Errc::unsupported, 0, kInverse);
  const auto found = find_category(file, wanted->category, bounds);
  if (!found) return std::unexpected(found.error());
  if (holds_addresses(*found, bounds)) return read_addresses(*found, bounds, to);
  return read_geosite(*found, wanted->attributes, bounds, to);
}

Outcome<Tally> read_mmdb(ByteView file, const GeoPart& part, const Bounds& bounds, Entries& to) {
  const auto mmdb = Mmdb::open(file, bounds.input_bytes);
  if (!mmdb) return std::unexpected(mmdb.error());
  const auto read = part.country.empty() ? read_mmdb_asn(*mmdb, part.asn, bounds, to)
                                         : read_mmdb_country(*mmdb, part.country, bounds, to);
  if (!read) return read;
  if (read->entries + read->faults == 0) return refuse(Errc::not_found, 0, "has no address of it");
  return read;
}

std::string other_parts(SourceFormat format, ByteView file, const GeoPart& part) {
  if (format == SourceFormat::dat) {
    const std::size_t end = part.category.find('@');
    return remedy(part.category.substr(0, end), categories_of(file));
  }
  const auto mmdb = Mmdb::open(file, file.size());
  if (!mmdb || part.country.empty()) return "is it a file of autonomous systems?";
  const auto codes = mmdb_country_codes(*mmdb);
  return remedy(part.country, codes ? *codes : std::vector<std::string>());
}

}  // namespace sluice::cli
