// read/readers.h - one reader per part of the file. Each fills its part of a Config, reports what
// it cannot use, and leaves defaults where nothing is written.
#pragma once

#include <optional>
#include <vector>

#include "controlplane/model/config.h"
#include "controlplane/model/read/fields.h"

namespace sluice::model {

/// Unknown keys, and known ones that are not built, in every map that the key tables cover.
void check_keys(const Node& root, Report& report);

/// Names that must exist, and where they stand. Each list goes with the one in Config of its name.
struct References {
  struct GroupPlaces {
    Place name;
    Place type;
    std::vector<Value> members;
    std::optional<Value> selected;  ///< default-selected
    bool awaits_providers = false;  ///< `use` or include-all: members will come once built
    bool removed = false;           ///< a type that other programs dropped as well
  };
  std::vector<Place> proxies;
  std::vector<GroupPlaces> groups;
  std::vector<Place> rules;
  std::vector<Place> listeners;
};

void read_general(const Fields& top, General& out);
void read_sluice(const Fields& top, SluiceMap& out);
void read_hosts(const Fields& top, std::vector<Host>& out);
void read_dns(const Fields& top, Dns& out);
void read_proxies(const Fields& top, std::vector<Proxy>& out, References& references);
void read_groups(const Fields& top, std::vector<Group>& out, References& references);
void read_rules(const Fields& top, std::vector<Rule>& out, References& references);
/// The general ports and `listeners:`. Needs general and dns; reports ports that are taken twice.
void read_listeners(const Fields& top, Config& config, References& references);

/// Across the parts: names are unique, members, targets and `proxy` of listeners exist, groups have
/// no cycles; then every group gets its initial member. Needs everything above.
void resolve_names(const References& references, Config& config, Report& report);

/// Says what is right by itself and has no effect, or a wider one than its writer may think. Needs
/// everything above.
void check_effects(const Fields& top, const Config& config, const References& references,
                   Report& report);

/// These have users who log in; the others serve whoever was captured.
[[nodiscard]] bool takes_logins(contract::ListenerKind kind) noexcept;

/// A value that asks for nothing: false, 0, empty, or a map with `enabled: false`.
[[nodiscard]] bool is_off(const Node& node) noexcept;

}  // namespace sluice::model
