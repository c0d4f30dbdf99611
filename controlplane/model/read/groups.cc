#include <algorithm>

#include "controlplane/model/keys/types.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"

namespace sluice::model {
namespace {

void read_type(const Fields& entry, Group& out, References::GroupPlaces& places) {
  places.type = entry.place("type");
  const auto type = entry.scalar("type");
  if (!type) {
    if (!entry.has("type")) entry.error(entry.place(), "has no type", "write type: select");
    return;
  }
  const auto types = keys::group_types();
  const auto row = std::ranges::find(types, type->text(), &keys::GroupType::name);
  if (row == types.end()) {
    Nearest nearest(type->text());
    for (const auto& known : types) nearest.offer(known.name);
    entry.error(type->place(), quote(type->text()) + " is not a type of group",
                nearest.remedy("write select"));
    return;
  }
  out.type_name = row->api_name;
  out.acts_as_select = row->state != keys::State::built;
  places.removed = row->state == keys::State::removed;
}

bool awaits_providers(const Fields& entry) noexcept {
  for (const std::string_view key :
       {"use", "include-all", "include-all-proxies", "include-all-providers"})
    if (const Member* m = entry.node().find(key); m != nullptr && !is_off(*m->value)) return true;
  return false;
}

}  // namespace

void read_groups(const Fields& top, std::vector<Group>& out, References& references) {
  for (Fields& entry : top.maps("proxy-groups")) {
    Group group;
    References::GroupPlaces places;
    group.at = entry.node().position();
    entry.text("name", group.name);
    if (group.name.empty()) {
      entry.error(entry.place("name"), "a group needs a name", "write name:");
      continue;
    }
    entry.name_owner(group.name);
    places.name = entry.place("name");
    read_type(entry, group, places);
    places.members = entry.texts("proxies");
    places.selected = entry.scalar("default-selected");
    places.awaits_providers = awaits_providers(entry);
    bool disable_udp = false;
    entry.flag("disable-udp", disable_udp);
    group.udp = !disable_udp;
    entry.flag("hidden", group.hidden);
    entry.text("icon", group.icon);
    references.groups.push_back(std::move(places));
    out.push_back(std::move(group));
  }
}

}  // namespace sluice::model
