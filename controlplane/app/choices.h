// app/choices.h - which member of each group is used, as the user said.
//
// Kept by name, so that a reload or a group that goes and comes back finds them again. Written to
// state.db while `profile.store-selected`. Owner: ControlPlane. Thread: home.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "controlplane/stats/state_store.h"
#include "proto/contract/choice.h"
#include "proto/contract/manifest.h"

namespace sluice::control_plane {

class Choices {
 public:
  explicit Choices(stats::StateStore& store) : store_(store) {}

  /// What was stored counts from now on; called once, when the configuration says so.
  void restore() { chosen_ = store_.choices(); }
  void set_stored(bool stored) noexcept { stored_ = stored; }

  /// Whether the group can be set to this member. Faults: not_found; refused for a name that is not
  /// a group.
  [[nodiscard]] static manage::Answer<void> check(const contract::Manifest& manifest,
                                                  std::string_view group, std::string_view member);
  void set(const std::string& group, const std::string& member);

  [[nodiscard]] const std::vector<contract::GroupChoice>& all() const noexcept { return chosen_; }
  /// For status: every group of the manifest.
  [[nodiscard]] std::vector<manage::GroupReport> report(const contract::Manifest& manifest) const;

 private:
  stats::StateStore& store_;
  std::vector<contract::GroupChoice> chosen_;
  bool stored_ = true;
};

}  // namespace sluice::control_plane
