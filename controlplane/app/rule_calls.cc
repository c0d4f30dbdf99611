#include "controlplane/app/rule_calls.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "controlplane/app/plane_fault.h"
#include "controlplane/app/rules_report.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::control_plane {
namespace {

using manage::fault;
using manage::FaultKind;

std::unexpected<manage::Fault> changing() {
  return fault(FaultKind::unavailable, "the rules are being changed; try again in a moment");
}

}  // namespace

bool RuleCalls::is_running(std::uint64_t generation) const {
  const RunningPtr& running = config_.running();
  const PlaneLink::Accepted& accepted = plane_.accepted();
  return running && generation == accepted.generation &&
         running->manifest.ruleset == accepted.ruleset;
}

void RuleCalls::list(manage::Reply<manage::RulesReport> reply) {
  if (plane_.client() == nullptr) return reply(std::unexpected(plane_away()));
  auto answer = std::make_shared<manage::Reply<manage::RulesReport>>(std::move(reply));
  plane_.client()->read_rules(plane_.at_home<Result<contract::RuleStates>>(
      [this, answer](const Result<contract::RuleStates>& states) {
        if (!states) return (*answer)(std::unexpected(plane_fault(states.error())));
        if (!is_running(states->generation)) return (*answer)(changing());
        manage::RulesReport report = rules_report(*config_.running(), config_.running_file(),
                                                  *states, plane_.last_hello().start_wall_ms);
        report.changed_wall_ms = std::max(report.since_wall_ms, config_.rules_changed_wall_ms());
        (*answer)(std::move(report));
      }));
}

void RuleCalls::set(const std::vector<manage::RuleToggle>& toggles, manage::Reply<void> reply) {
  const RunningPtr running = config_.running();
  if (!running || plane_.client() == nullptr) return reply(std::unexpected(plane_away()));
  const std::uint64_t generation = plane_.accepted().generation;
  if (!is_running(generation)) return reply(changing());
  auto switches = switches_of(running->manifest, toggles);
  if (!switches) return reply(std::unexpected(std::move(switches.error())));
  auto answer = std::make_shared<manage::Reply<void>>(std::move(reply));
  auto done = [this, running, switches = *switches,
               answer](const Result<contract::Verdict>& verdict) {
    if (!verdict) return (*answer)(std::unexpected(plane_fault(verdict.error())));
    // Our lines are its lines: only another generation can be in the way.
    if (!verdict->accepted) return (*answer)(changing());
    disabled_.note(running->manifest, switches);
    (*answer)({});
  };
  plane_.client()->set_rules_disabled({generation, std::move(*switches)},
                                      plane_.at_home<Result<contract::Verdict>>(std::move(done)));
}

void RuleCalls::switch_again() {
  const RunningPtr& running = config_.running();
  const std::uint64_t generation = plane_.accepted().generation;
  if (plane_.client() == nullptr || !is_running(generation)) return;
  std::vector<contract::RuleSwitch> switches = disabled_.switches(running->manifest);
  if (switches.empty()) return;
  // Whatever ends this one brings the next: a reconnect, or another configuration.
  plane_.client()->set_rules_disabled(
      {generation, std::move(switches)}, [](const Result<contract::Verdict>& verdict) {
        if (verdict && verdict->accepted) return;
        SLUICE_LOG(debug, "rules", "step=switch_again %s",
                   verdict ? verdict->reason.c_str() : describe(verdict.error()).c_str());
      });
}

}  // namespace sluice::control_plane
