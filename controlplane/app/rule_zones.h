// app/rule_zones.h - the time zones of one configuration: those that its TIME rules name, judged,
// and those that compile() asks for.
//
//   a rule names a zone that cannot be had      an error: hours of another zone are other hours
//   the system's own zone cannot be had, or a   a warning, and UTC
//   line of a rule list names such a zone
//
// One for each zone, at the first rule that names it.
// Blocks on the disk. Thread: any, one at a time.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/compile/zone_input.h"
#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"
#include "controlplane/model/read/report.h"
#include "controlplane/zoneinfo/zone_reader.h"
#include "proto/common/clock.h"
#include "proto/contract/digest.h"

namespace sluice::control_plane {

class RuleZones final : public compile::ZoneInput {
 public:
  /// Reads the zones that `config` names. `file` is the name in diagnostics.
  RuleZones(const model::Config& config, const std::string& file,
            zoneinfo::ZoneReader zones = zoneinfo::ZoneReader(wall_ms() / 1'000));

  ruleset::Zone zone(std::string_view name) override;

  /// Of all tables that the configuration itself names.
  [[nodiscard]] const contract::Digest& digest() const noexcept { return digest_; }
  /// zone() was asked only for what digest() covers.
  [[nodiscard]] bool covered() const noexcept { return covered_; }
  /// Taken: none are left.
  [[nodiscard]] std::vector<model::Diagnostic> problems() { return report_.finish(); }

 private:
  void judge(const std::string& name, const model::Place& place);
  void complain(const std::string& zone, const model::Place& place, const std::string& why);

  zoneinfo::ZoneReader zones_;
  std::map<std::string, std::string, std::less<>> named_;  ///< why there is none; empty: there is
  std::string tables_;                                     ///< while they are read
  contract::Digest digest_{};
  bool covered_ = true;
  model::Report report_;
};

}  // namespace sluice::control_plane
