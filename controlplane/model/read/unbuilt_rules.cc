// Rules that are understood and not compiled yet. Goes away with the last of them.
#include <string>
#include <vector>

#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"

namespace sluice::model {
namespace {

bool is_built(AtomKind kind) noexcept {
  switch (kind) {
    case AtomKind::domain:
    case AtomKind::domain_suffix:
    case AtomKind::domain_keyword:
    case AtomKind::ip_cidr:
    case AtomKind::dst_port:
    case AtomKind::src_port:
    case AtomKind::network:
    case AtomKind::in_type:
      return true;
    default:
      return false;
  }
}

bool is_built(const Rule& rule) noexcept {
  if (rule.sub_rule) return false;
  return rule.condition.op == Condition::Op::always ||
         (rule.condition.op == Condition::Op::atom && is_built(rule.condition.atom.kind));
}

}  // namespace

void drop_unbuilt_rules(Config& config, Report& report) {
  for (const Rule& rule : config.rules) {
    if (is_built(rule)) continue;
    const std::string text = to_text(rule);
    report.warning(place_of(rule, "rules"),
                   "rule type " + text.substr(0, text.find(',')) + " is known, not built yet",
                   "the line is skipped: " + quote(text));
  }
  std::erase_if(config.rules, [](const Rule& rule) { return !is_built(rule); });
}

}  // namespace sluice::model
