// model/config.h - a whole configuration: every key that is built, typed and defaulted.
//
//   text ─ config ─> Document ─ model ─> Config ─ compile ─> Manifest + blobs
//                                            └──> DNS, stores, logging
//
// A Config that exists is valid: every name it refers to exists, groups have no cycles, names are
// unique. Plain value; equality ignores positions, so that a reload changes only what changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/model/dns.h"
#include "controlplane/model/general.h"
#include "controlplane/model/outbounds.h"
#include "controlplane/model/rule.h"
#include "controlplane/model/rule_provider.h"
#include "controlplane/model/sniffer.h"

namespace sluice::model {

struct Config {
  General general;
  std::vector<Host> hosts;                   ///< file order
  std::vector<Listener> listeners;           ///< the general ports first
  std::vector<Proxy> proxies;                ///< file order, without built-ins
  std::vector<Group> groups;                 ///< file order; GLOBAL only when the user defines one
  std::vector<Rule> rules;                   ///< matching order, skipped lines left out
  std::vector<SubRules> sub_rules;           ///< file order; no cycles
  std::vector<RuleProvider> rule_providers;  ///< file order
  Geo geo;
  Dns dns;
  Sniffer sniffer;
  SluiceMap sluice;

  [[nodiscard]] const Group* find_group(std::string_view name) const noexcept;
  friend bool operator==(const Config&, const Config&) = default;
};

/// DIRECT, REJECT, REJECT-DROP, COMPATIBLE, PASS, PASS-RULE, GLOBAL: names that always exist.
[[nodiscard]] bool is_builtin_name(std::string_view name) noexcept;

}  // namespace sluice::model
