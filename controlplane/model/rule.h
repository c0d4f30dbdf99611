// model/rule.h - one line of `rules:` or of a list under `sub-rules:`, typed. The order of a list
// is the order of matching.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/model/condition.h"
#include "controlplane/model/diagnostic.h"

namespace sluice::model {

struct Rule {
  Condition condition;
  /// As written, blanks around trimmed: what the API shows. Of a SUB-RULE its condition.
  std::string payload_text;
  /// A proxy, group or built-in name; of a SUB-RULE the name of a list. Exists.
  std::string target;
  bool sub_rule = false;
  bool no_resolve = false;  ///< written behind the line; the condition's atoms have it already
  bool source = false;      ///< `src` behind the line; likewise
  std::uint32_t index = 0;  ///< place in the written list, skipped lines counted
  Position at;
  friend bool operator==(const Rule& a, const Rule& b) noexcept;
};

/// One list under `sub-rules:`. A SUB-RULE line whose condition holds goes through it; when none of
/// its lines decides, or one that does names PASS, matching goes on behind the SUB-RULE line.
struct SubRules {
  std::string name;
  std::vector<Rule> rules;  ///< matching order, lines that match nothing left out
  Position at;
  friend bool operator==(const SubRules& a, const SubRules& b) noexcept;
};

/// As the API spells it: "DomainSuffix", "AND", "SubRules", "Match". Static storage.
[[nodiscard]] std::string_view api_name(const Rule& rule) noexcept;
/// As users write it: "GEOIP,CN,DIRECT,no-resolve".
[[nodiscard]] std::string to_text(const Rule& rule);

}  // namespace sluice::model
