#include "controlplane/app/choices.h"

#include <algorithm>

#include "controlplane/model/read/nearest.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::control_plane {

using contract::Outbound;
using contract::OutboundKind;
using manage::fault;
using manage::FaultKind;

namespace {

constexpr const char* kWhereListed = "`sluice status` lists them";

std::unexpected<manage::Fault> no_group(const contract::Manifest& manifest,
                                        std::string_view group) {
  model::Nearest nearest(group);
  for (const Outbound& outbound : manifest.outbounds)
    if (outbound.kind == OutboundKind::select) nearest.offer(outbound.name);
  return fault(FaultKind::not_found,
               "there is no group " + std::string(group) + "; " + nearest.remedy(kWhereListed));
}

std::unexpected<manage::Fault> no_member(const contract::Manifest& manifest, const Outbound& group,
                                         std::string_view member) {
  model::Nearest nearest(member);
  for (const std::uint32_t index : group.members) nearest.offer(manifest.outbounds[index].name);
  return fault(FaultKind::not_found, "the group " + group.name + " has no member " +
                                         std::string(member) + "; " + nearest.remedy(kWhereListed));
}

}  // namespace

manage::Answer<void> Choices::check(const contract::Manifest& manifest, std::string_view group,
                                    std::string_view member) {
  const auto found = std::ranges::find(manifest.outbounds, group, &Outbound::name);
  if (found == manifest.outbounds.end()) return no_group(manifest, group);
  if (found->kind != OutboundKind::select)
    return fault(FaultKind::refused, std::string(group) + " is not a group to choose in");
  const bool known = std::ranges::any_of(found->members, [&](std::uint32_t index) {
    return manifest.outbounds[index].name == member;
  });
  if (!known) return no_member(manifest, *found, member);
  return {};
}

void Choices::set(const std::string& group, const std::string& member) {
  const auto found = std::ranges::find(chosen_, group, &contract::GroupChoice::group);
  if (found == chosen_.end())
    chosen_.push_back({group, member});
  else
    found->member = member;
  if (!stored_) return;
  if (const Status saved = store_.save(group, member); !saved)
    SLUICE_LOG(warning, "choices", "group=%s not stored: %s", group.c_str(),
               describe(saved.error()).c_str());
}

std::vector<manage::GroupReport> Choices::report(const contract::Manifest& manifest) const {
  std::vector<manage::GroupReport> out;
  for (const Outbound& group : manifest.outbounds) {
    if (group.kind != OutboundKind::select) continue;
    manage::GroupReport entry{group.name, group.type_name, {}, {}};
    for (const std::uint32_t index : group.members)
      entry.all.push_back(manifest.outbounds[index].name);
    if (group.initial_choice < entry.all.size()) entry.now = entry.all[group.initial_choice];
    const auto chosen = std::ranges::find(chosen_, group.name, &contract::GroupChoice::group);
    if (chosen != chosen_.end() && std::ranges::find(entry.all, chosen->member) != entry.all.end())
      entry.now = chosen->member;
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace sluice::control_plane
