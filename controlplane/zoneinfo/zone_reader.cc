#include "controlplane/zoneinfo/zone_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "controlplane/zoneinfo/limits.h"
#include "controlplane/zoneinfo/posix_zone.h"
#include "controlplane/zoneinfo/tzif.h"
#include "proto/common/error_text.h"
#include "proto/common/text.h"

namespace sluice::zoneinfo {
namespace {

/// As the tz database names zones. Without dots there is no way out of its directory.
bool is_database_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kMaxName_bytes || name.starts_with('/') ||
      name.ends_with('/') || name.find("//") != std::string_view::npos)
    return false;
  return std::ranges::all_of(name, [](char c) {
    const char lower = to_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '/';
  });
}

bool is_utc(std::string_view name) noexcept {
  return iequals(name, "UTC") || iequals(name, "GMT");
}

/// "+05:30", "-00:45".
std::optional<std::int32_t> parse_offset(std::string_view text) noexcept {
  if (text.size() != 6 || text[3] != ':') return std::nullopt;
  const auto hours = parse_number(text.substr(1, 2), 23);
  const auto minutes = parse_number(text.substr(4), 59);
  if (!hours || !minutes) return std::nullopt;
  const auto seconds = static_cast<std::int32_t>(*hours * 3600 + *minutes * 60);
  return text[0] == '-' ? -seconds : seconds;
}

/// Of a name from a rule; the model bounds and checks it, others may not.
std::string quoted(std::string_view name) {
  std::string out = "`";
  for (const char c : name.substr(0, kMaxName_bytes)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (name.size() > kMaxName_bytes ? "...`" : "`");
}

ruleset::Zone fixed(std::int32_t offset_s) {
  return {offset_s, {}};
}

std::unexpected<std::string> none(std::string why) {
  return std::unexpected<std::string>(std::move(why));
}

}  // namespace

ZoneReader::ZoneReader(std::int64_t now_s, Places places)
    : places_(std::move(places)), span_(span_around(now_s)) {}

ruleset::Zone ZoneReader::zone(std::string_view name) {
  Found found = find(name);
  if (found) return std::move(*found);
  warnings_.push_back(found.error() + "; UTC is used");
  return {};
}

ZoneReader::Found ZoneReader::find(std::string_view name) const {
  if (name.empty()) return system_zone();
  if (is_utc(name)) return fixed(0);
  if (name.front() == '+' || name.front() == '-') {
    if (const auto offset_s = parse_offset(name)) return fixed(*offset_s);
    return none(quoted(name) + " is no offset from UTC such as +05:30");
  }
  if (!is_database_name(name)) return none(quoted(name) + " is no name of a time zone");
  return named(name);
}

std::optional<ZoneReader::Found> ZoneReader::file(const std::string& path) const {
  const auto bytes = read_place(path, kMaxFile_bytes);
  if (!bytes && bytes.error().code == Errc::not_found) return std::nullopt;
  if (!bytes) return none("cannot read " + path + ": " + describe(bytes.error()));
  auto zone = parse_tzif(as_byte_view(*bytes), span_);
  if (!zone && zone.error().code == Errc::unsupported)
    return none(path + " counts leap seconds, which clocks do not");
  if (!zone) return none(path + " is no usable time zone file: " + describe(zone.error()));
  return std::move(*zone);
}

ZoneReader::Found ZoneReader::named(std::string_view name) const {
  std::string looked;
  for (const std::string& directory : places_.databases) {
    if (auto found = file(directory + "/" + std::string(name))) return std::move(*found);
    looked += (looked.empty() ? "" : ", ") + directory;
  }
  return none(
      "this system has no time zone " + quoted(name) + " (looked in " + looked +
      "); correct the name, install the package with it (tzdata, on OpenWrt one of zoneinfo-*) or "
      "write an offset such as +02:00");
}

ZoneReader::Found ZoneReader::described(std::string_view text, const std::string& where) const {
  if (text.starts_with(':')) text.remove_prefix(1);
  if (text.empty() || is_utc(text)) return fixed(0);
  if (text.starts_with('/')) {
    if (auto found = file(std::string(text))) return std::move(*found);
  }
  // EST5EDT is both; where it is installed, the C libraries take the file.
  if (is_database_name(text)) {
    if (Found found = named(text)) return found;
  }
  if (const auto rule = parse_posix_tz(text)) {
    if (auto zone = table_of(*rule, span_)) return std::move(*zone);
  }
  return none(where + " says " + quoted(text) + ", which is neither the name of a time zone here " +
              "nor a rule such as CET-1CEST,M3.5.0,M10.5.0/3");
}

ZoneReader::Found ZoneReader::system_zone() const {
  if (places_.variable) return described(*places_.variable, "TZ in the environment");
  const auto text = read_place(places_.rule_file, kMaxRule_bytes);
  if (!text && text.error().code != Errc::not_found)
    return none("cannot read " + places_.rule_file + ": " + describe(text.error()));
  if (text) {
    const std::string_view line = trim(std::string_view(*text).substr(0, text->find('\n')));
    if (!line.empty()) return described(line, places_.rule_file);
  }
  // A system without the file runs on UTC.
  return file(places_.local_file).value_or(fixed(0));
}

}  // namespace sluice::zoneinfo
