// zoneinfo/zone_reader.h - the zones that TIME rules name, as tables.
//
//   "Europe/Berlin"  the file of that name in the tz database
//   "UTC"  "+05:30"  itself
//   ""               the system's own (places.h); UTC where it has none
//
//   ZoneReader zones(wall_ms() / 1000);
//   compile(config, sets, zones);          // asks for each name once
//   for (const std::string& w : zones.warnings()) ...
//
// Opens files and blocks on the disk; a file is read when it is asked for and not kept, so that a
// reload sees a database that was replaced. Thread: any, one at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/compile/zone_input.h"
#include "controlplane/zoneinfo/places.h"
#include "controlplane/zoneinfo/span.h"

namespace sluice::zoneinfo {

class ZoneReader final : public compile::ZoneInput {
 public:
  /// Tables cover span_around(now_s): at least now - 1 day .. now + kYearsAhead.
  explicit ZoneReader(std::int64_t now_s, Places places = system_places());

  /// The table, or a sentence without full stop that says why there is none.
  using Found = std::expected<ruleset::Zone, std::string>;
  [[nodiscard]] Found find(std::string_view name) const;

  /// As find; a zone that cannot be had is UTC, and warnings() says so.
  ruleset::Zone zone(std::string_view name) override;
  /// One for each zone() that had to be UTC, in the order of asking.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  [[nodiscard]] Found system_zone() const;
  [[nodiscard]] Found named(std::string_view name) const;
  /// What TZ and /etc/TZ say; `where` names the place in sentences.
  [[nodiscard]] Found described(std::string_view text, const std::string& where) const;
  /// Nothing when there is no such file.
  [[nodiscard]] std::optional<Found> file(const std::string& path) const;

  Places places_;
  Span span_;
  std::vector<std::string> warnings_;
};

}  // namespace sluice::zoneinfo
