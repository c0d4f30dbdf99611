#include "controlplane/ruleset/source.h"

#include <algorithm>
#include <utility>

namespace sluice::sets {
namespace {

using ruleformats::Behavior;
using ruleformats::Format;

SourceKind kind_of(model::ProviderKind kind) noexcept {
  switch (kind) {
    case model::ProviderKind::http:
      return SourceKind::http_list;
    case model::ProviderKind::file:
      return SourceKind::file_list;
    case model::ProviderKind::inline_:
      break;
  }
  return SourceKind::inline_list;
}

Format format_of(model::RuleFormat format) noexcept {
  switch (format) {
    case model::RuleFormat::yaml:
      return Format::yaml;
    case model::RuleFormat::text:
      return Format::text;
    case model::RuleFormat::mrs:
      return Format::mrs;
    case model::RuleFormat::srs:
      return Format::srs;
    case model::RuleFormat::json:
      return Format::json;
    case model::RuleFormat::adguard:
      return Format::adguard;
    case model::RuleFormat::hosts:
      break;
  }
  return Format::hosts;
}

Behavior behavior_of(model::RuleBehavior behavior) noexcept {
  switch (behavior) {
    case model::RuleBehavior::domain:
      return Behavior::domain;
    case model::RuleBehavior::ipcidr:
      return Behavior::ipcidr;
    case model::RuleBehavior::classical:
      break;
  }
  return Behavior::classical;
}

}  // namespace

Source list_source(const model::RuleProvider& provider, std::string path) {
  Source out;
  out.kind = kind_of(provider.kind);
  out.name = provider.name;
  out.format = format_of(provider.format);
  out.behavior = behavior_of(provider.behavior);
  if (provider.size_limit != 0)
    out.most = static_cast<std::size_t>(std::min<std::uint64_t>(provider.size_limit, out.most));
  if (out.kind == SourceKind::inline_list)
    out.content = join_entries(provider.payload);
  else
    out.path = std::move(path);
  return out;
}

Source geo_source(SourceKind kind, std::string path) {
  Source out;
  out.kind = kind;
  out.path = std::move(path);
  return out;
}

std::string join_entries(const std::vector<std::string>& payload) {
  std::string out;
  for (const std::string& entry : payload) {
    const std::size_t begin = out.size();
    out += entry;
    std::replace(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), '\n', ' ');
    out += '\n';
  }
  return out;
}

bool may_hold_conditions(const Source& source) noexcept {
  if (!is_list(source.kind)) return false;
  return source.behavior == Behavior::classical || source.format == Format::srs ||
         source.format == Format::json;
}

std::uint8_t reading_of(const Source& source) noexcept {
  if (!is_list(source.kind)) return static_cast<std::uint8_t>(source.kind);
  return static_cast<std::uint8_t>(0x40U | static_cast<unsigned>(source.format) << 2U |
                                   static_cast<unsigned>(source.behavior));
}

std::string describe(const Source& source) {
  switch (source.kind) {
    case SourceKind::geosite:
      return "geosite file " + source.path;
    case SourceKind::geoip_dat:
    case SourceKind::country_mmdb:
      return "GeoIP file " + source.path;
    case SourceKind::asn_mmdb:
      return "ASN file " + source.path;
    default:
      return "rule provider " + source.name;
  }
}

}  // namespace sluice::sets
