// Rules, rule providers and their refreshes as messages.
#include "controlplane/manage/wire.h"
#include "controlplane/manage/wire_parts.h"

namespace sluice::manage {
namespace {

static_assert(static_cast<int>(model::ProviderKind::inline_) == pb::PROVIDER_INLINE);
static_assert(static_cast<int>(model::RuleBehavior::classical) == pb::RULE_BEHAVIOR_CLASSICAL);
static_assert(static_cast<int>(model::RuleFormat::hosts) == pb::RULE_FORMAT_HOSTS);
static_assert(static_cast<int>(ProviderProgress::State::failed) == pb::REFRESH_FAILED);

void fill(pb::Rule& out, const RuleReport& in) {
  out.set_list(utf8(in.list));
  out.set_number(in.number);
  out.set_type(in.type);
  out.set_payload(utf8(in.payload));
  out.set_target(utf8(in.target));
  out.set_place(utf8(in.place));
  out.set_disabled(in.disabled);
  out.set_hits(in.hits);
  out.set_hit_wall_ms(in.hit_wall_ms);
  out.set_misses(in.misses);
  out.set_miss_wall_ms(in.miss_wall_ms);
}

void fill(pb::RuleProvider& out, const RuleProviderReport& in) {
  out.set_name(utf8(in.name));
  out.set_kind(same<pb::ProviderKind>(in.kind));
  out.set_behavior(same<pb::RuleBehavior>(in.behavior));
  out.set_format(same<pb::RuleFormat>(in.format));
  out.set_in_force(in.in_force);
  out.set_entries(in.entries);
  out.set_refused(in.refused);
  out.set_changed_wall_ms(in.changed_wall_ms);
  out.set_checked_wall_ms(in.checked_wall_ms);
  out.set_next_wall_ms(in.next_wall_ms);
  out.set_refreshing(in.refreshing);
  out.set_fault(utf8(in.fault));
  out.set_digest(in.digest);
}

void fill(pb::RuleProviderUpdate& out, const ProviderProgress& in) {
  out.set_name(utf8(in.name));
  out.set_state(same<pb::RefreshState>(in.state));
  out.set_received(in.received);
  out.set_total(in.total);
  out.set_reason(utf8(in.reason));
}

}  // namespace

Answer<std::vector<RuleToggle>> from_wire(const pb::SetRulesRequest& in) {
  if (in.switches_size() == 0)
    return fault(FaultKind::invalid, "name the lines; `sluice rules list` numbers them");
  std::vector<RuleToggle> out;
  out.reserve(static_cast<std::size_t>(in.switches_size()));
  for (const pb::RuleSwitch& one : in.switches())
    out.push_back({one.list(), one.number(), one.disabled()});
  return out;
}

pb::RuleTable to_wire(const RulesReport& in) {
  pb::RuleTable out;
  out.mutable_rules()->Reserve(static_cast<int>(in.rules.size()));
  for (const RuleReport& rule : in.rules) fill(*out.add_rules(), rule);
  out.set_unmatched(in.unmatched);
  out.set_since_wall_ms(in.since_wall_ms);
  out.set_changed_wall_ms(in.changed_wall_ms);
  return out;
}

pb::RuleProviderTable to_wire(const std::vector<RuleProviderReport>& in) {
  pb::RuleProviderTable out;
  for (const RuleProviderReport& provider : in) fill(*out.add_providers(), provider);
  return out;
}

pb::RuleProviderUpdates to_wire(const std::vector<ProviderProgress>& in) {
  pb::RuleProviderUpdates out;
  for (const ProviderProgress& one : in) fill(*out.add_updates(), one);
  return out;
}

}  // namespace sluice::manage
