// app/rule_zones.h - the time zones of one configuration: those that its TIME rules name, judged,
// and those that compile() asks for.
//
//   a rule names a zone that cannot be had      an error at the rule: hours of another zone would
//   be
//                                               other hours
//   the system's own zone cannot be had, or a   a warning, and UTC
//   line of a rule list names such a zone
//
// Blocks on the disk. Thread: any, one at a time.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/compile/zone_input.h"
#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"
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
  [[nodiscard]] const std::vector<model::Diagnostic>& problems() const noexcept {
    return problems_;
  }

 private:
  void judge(const std::string& name, const model::Place& place);

  zoneinfo::ZoneReader zones_;
  std::string file_;
  std::set<std::string, std::less<>> named_;
  std::string tables_;  ///< while they are read
  contract::Digest digest_{};
  bool covered_ = true;
  std::vector<model::Diagnostic> problems_;
};

}  // namespace sluice::control_plane
