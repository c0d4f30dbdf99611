// contract/choice.h - which member of a group is used (Select).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "proto/contract/manifest.h"

namespace sluice::contract {

struct GroupChoice {
  std::string group;   ///< name of a group
  std::string member;  ///< name of one of its members
  friend bool operator==(const GroupChoice&, const GroupChoice&) = default;
};

/// `all` keeps the newest choice of each group, in the order in which the groups were first chosen.
inline void merge_choices(std::vector<GroupChoice>& all, const std::vector<GroupChoice>& newer) {
  for (const GroupChoice& choice : newer) {
    const auto found = std::ranges::find(all, choice.group, &GroupChoice::group);
    if (found == all.end())
      all.push_back(choice);
    else
      found->member = choice.member;
  }
}

/// Writes choices into the groups' `initial_choice`, so that a manifest starts with them. A choice
/// whose group or member no longer exists is skipped.
inline void apply_choices(Manifest& manifest, const std::vector<GroupChoice>& choices) {
  for (const GroupChoice& choice : choices) {
    for (Outbound& group : manifest.outbounds) {
      if (group.name != choice.group) continue;
      for (std::uint32_t at = 0; at < group.members.size(); ++at) {
        const std::uint32_t member = group.members[at];
        if (member < manifest.outbounds.size() && manifest.outbounds[member].name == choice.member)
          group.initial_choice = at;
      }
    }
  }
}

}  // namespace sluice::contract
