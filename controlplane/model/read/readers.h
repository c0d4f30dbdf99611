// read/readers.h - one reader per part of the file. Each fills its part of a Config, reports what
// it cannot use, and leaves defaults where nothing is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  std::vector<Place> listeners;
};

void read_general(const Fields& top, General& out);
void read_sluice(const Fields& top, SluiceMap& out);
void read_hosts(const Fields& top, std::vector<Host>& out);
void read_dns(const Fields& top, Dns& out);
void read_proxies(const Fields& top, std::vector<Proxy>& out, References& references);
void read_groups(const Fields& top, std::vector<Group>& out, References& references);
void read_rules(const Fields& top, std::vector<Rule>& out);
void read_sub_rules(const Fields& top, std::vector<SubRules>& out);
void read_rule_providers(const Fields& top, std::vector<RuleProvider>& out);
/// Needs the rule providers.
void read_sniffer(const Fields& top, const std::vector<RuleProvider>& providers, Sniffer& out);
void read_geo(const Fields& top, Geo& out);
/// The general ports and `listeners:`. Needs general and dns; reports ports that are taken twice.
void read_listeners(const Fields& top, Config& config, References& references);

/// Across the parts: names are unique, members, targets and `proxy` of listeners exist, groups have
/// no cycles; then every group gets its initial member. Needs everything above.
void resolve_names(const References& references, Config& config, Report& report);

/// What rules refer to besides their targets: lists under `sub-rules`, which must not go in circles
/// nor grow without bound, and rule providers. Needs everything above.
void resolve_rules(Config& config, Report& report);

/// Says what is right by itself and has no effect, or a wider one than its writer may think. Needs
/// everything above.
void check_effects(const Fields& top, const Config& config, const References& references,
                   Report& report);

/// Which flows a target can let go on to the next line, whatever is chosen in groups.
enum class Lets : std::uint8_t { none, udp, any };

/// Lines that no flow can match because an earlier line of their list takes them all: a warning
/// each. `lets[i]`: of the i-th rule. `list`: "rules", or the path of a list under `sub-rules`.
void check_covered(const std::vector<Rule>& rules, const std::vector<Lets>& lets,
                   std::string_view list, Report& report);

/// Where a line stands, and the path of a list under `sub-rules`.
[[nodiscard]] Place place_of(const Rule& rule, std::string_view list);
[[nodiscard]] std::string path_of(const SubRules& list);

/// "https://..." or "http://...", with a host and without blanks.
[[nodiscard]] bool is_web_address(std::string_view text) noexcept;

/// These have users who log in; the others serve whoever was captured.
[[nodiscard]] bool takes_logins(contract::ListenerKind kind) noexcept;

/// A value that asks for nothing: false, 0, empty, or a map with `enabled: false`.
[[nodiscard]] bool is_off(const Node& node) noexcept;

}  // namespace sluice::model
