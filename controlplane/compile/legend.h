// compile/legend.h - what people know of a manifest's parts and the data plane does not: where each
// was written, and what is not built yet.
//
//   manifest   rules[3] {number 5, …}   listeners[0] {DEFAULT-MIXED, …}   outbounds[7] {…}
//   legend     config.yaml:41:5         config.yaml:1:13: mixed-port      config.yaml:9:5:
//   proxies[2]
//
// Kept by the control plane beside the manifest of the same configuration. Plain value; thread:
// any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"

namespace sluice::compile {

/// A proxy or group whose type, or an option that it cannot work without, is not built yet.
struct Unbuilt {
  std::string name;
  std::string type;      ///< as dashboards spell it: "Vmess", "URLTest"
  std::string why;       ///< "type vmess", "option tls"
  bool refuses = false;  ///< every flow sent to it; false: a group that acts as `select`
  friend bool operator==(const Unbuilt&, const Unbuilt&) = default;
};

struct Legend {
  struct RuleAt {
    std::uint32_t number = 0;  ///< RuleLine::number
    model::Position at;
  };
  struct ListAt {
    std::string name;       ///< RuleLine::list
    std::size_t first = 0;  ///< in `rules`; ends where the next list begins
  };
  /// A SUB-RULE line.
  struct Jump {
    std::size_t line = 0;  ///< in `rules`
    std::string list;      ///< that it goes through
  };

  std::string file;                      ///< the name under which the text was read
  std::vector<RuleAt> rules;             ///< as in the manifest: in a list numbers ascend
  std::vector<ListAt> lists;             ///< as in the manifest; the first is the list proper
  std::vector<Jump> jumps;               ///< ascending
  std::vector<model::Place> listeners;   ///< as in the manifest
  std::vector<model::Position> proxies;  ///< file order
  std::vector<model::Position> groups;   ///< file order
  model::Position dns_listen;            ///< {0, 0}: not written
  std::vector<Unbuilt> unbuilt;          ///< proxies, then groups, in file order

  /// Where the rule with that number in that list stands ("" = the list proper); nothing for -1 and
  /// for what no rule has.
  [[nodiscard]] std::optional<model::Position> rule(std::int32_t number,
                                                    std::string_view list = {}) const noexcept;

  /// The user's place for one of the manifest's ("listeners[0].port", "outbounds[7].server",
  /// "capture.interfaces[0]") or for "dns.listen". What stands nowhere in the file keeps its path.
  [[nodiscard]] model::Place place_of(std::string_view manifest_place) const;

  /// An error at that place: `reason` is "what is wrong; what to do" or only the first of them.
  [[nodiscard]] model::Diagnostic refusal(std::string_view manifest_place,
                                          std::string_view reason) const;
};

/// `config` came from the text called `file`.
[[nodiscard]] Legend make_legend(const model::Config& config, std::string file);

}  // namespace sluice::compile
