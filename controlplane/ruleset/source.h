// ruleset/source.h - where the content of a set stands, and how it is read.
//
//   kind            content            sets out of it
//   http_list       our local copy     {provider, NAME}
//   file_list       the user's file    {provider, NAME}
//   inline_list     `content`          {provider, NAME}
//   geosite         geosite.dat        {geosite, CATEGORY[@ATTRIBUTE]...}
//   geoip_dat       geoip.dat          {geoip, COUNTRY}
//   country_mmdb    Country.mmdb       {geoip, COUNTRY}
//   asn_mmdb        GeoLite2-ASN.mmdb  {asn, NUMBER}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "controlplane/model/rule_provider.h"
#include "controlplane/ruleformats/bounds.h"
#include "controlplane/ruleformats/entries.h"
#include "controlplane/ruleformats/rule_file.h"

namespace sluice::sets {

enum class SourceKind : std::uint8_t {
  http_list,
  file_list,
  inline_list,
  geosite,
  geoip_dat,
  country_mmdb,
  asn_mmdb,
};

/// Plain value.
struct Source {
  SourceKind kind = SourceKind::http_list;
  std::string name;                                        ///< of the provider; empty for geo files
  std::string path;                                        ///< absolute; empty for inline_list
  ruleformats::Format format = ruleformats::Format::yaml;  ///< lists
  ruleformats::Behavior behavior = ruleformats::Behavior::domain;  ///< lists
  std::size_t most = ruleformats::Bounds{}.input_bytes;            ///< bytes of the content
  std::string content;                                             ///< inline_list
  friend bool operator==(const Source&, const Source&) = default;
};

/// `path` is where the provider's file is, absolute; it means nothing for an inline one.
[[nodiscard]] Source list_source(const model::RuleProvider& provider, std::string path);
[[nodiscard]] Source geo_source(SourceKind kind, std::string path);

/// The entries of an inline provider as bytes: one a line. What of an entry would begin a new line
/// becomes a blank, so that the n-th line is the n-th entry.
[[nodiscard]] std::string join_entries(const std::vector<std::string>& payload);

[[nodiscard]] constexpr bool is_list(SourceKind kind) noexcept {
  return kind <= SourceKind::inline_list;
}
/// A list whose entries may be whole conditions, and so name geo sets themselves.
[[nodiscard]] bool may_hold_conditions(const Source& source) noexcept;
/// A number for everything but the path that decides what bytes mean.
[[nodiscard]] std::uint8_t reading_of(const Source& source) noexcept;
/// "rule provider ads", "geosite file /home/geosite.dat".
[[nodiscard]] std::string describe(const Source& source);

}  // namespace sluice::sets
