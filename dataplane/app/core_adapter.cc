#include "dataplane/app/core_adapter.h"

#include <memory>
#include <utility>

#include "dataplane/route/rule_states.h"

namespace sluice::app {

void CoreAdapter::attach(control::ControlLink* link) {
  const std::lock_guard lock(link_mutex_);
  link_ = link;
}

contract::HelloReply CoreAdapter::hello() {
  return plane_->status();
}

void CoreAdapter::apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
                        control::Done<contract::Verdict> done) {
  at_home([this, manifest = std::move(manifest), blobs = std::move(blobs),
           done = std::move(done)]() mutable {
    plane_->apply(std::move(manifest), std::move(blobs), std::move(done));
  });
}

void CoreAdapter::select(std::vector<contract::GroupChoice> choices, control::Done<Status> done) {
  // Where snapshots are built and published, so that no choice falls between two of them.
  at_home([this, choices = std::move(choices), done = std::move(done)] {
    done(plane_->select(choices));
  });
}

std::vector<contract::GroupChoice> CoreAdapter::choices() {
  return plane_->choices();
}

void CoreAdapter::read_rules(control::Done<contract::RuleStates> done) {
  at_home([this, done = std::move(done)] {
    const SnapshotPtr snapshot = plane_->current();
    done(snapshot ? route::rule_states(*snapshot) : contract::RuleStates{});
  });
}

void CoreAdapter::set_rules(contract::RuleSwitches switches,
                            control::Done<contract::Verdict> done) {
  // At home as select(): a snapshot that is built next carries the switches over.
  at_home([this, switches = std::move(switches), done = std::move(done)] {
    const SnapshotPtr snapshot = plane_->current();
    if (!snapshot) return done({false, 0, "is of a snapshot that does not run", "generation"});
    const auto refused = route::switch_rules(*snapshot, switches);
    contract::Verdict verdict{!refused, snapshot->generation(), "", ""};
    if (refused) {
      verdict.reason = refused->reason;
      verdict.place = refused->place;
    }
    done(std::move(verdict));
  });
}

void CoreAdapter::open_guard(control::Done<std::string> done) {
  at_home([this, done = std::move(done)] { done(capture_->open_guard()); });
}

void CoreAdapter::bind_names(contract::BindingBatch batch, control::Done<bool> done) {
  // Not by way of home: it may wait for the helper, and DNS answers wait for this.
  plane_->bind_names(std::make_shared<const contract::BindingBatch>(std::move(batch)),
                     [done = std::move(done)] { done(true); });
}

void CoreAdapter::name_answer(contract::NameAnswer answer) {
  const auto worker = static_cast<unsigned>(answer.id % workers_);
  answer.id /= workers_;
  plane_->answer(answer, worker);
}

void CoreAdapter::control_back() {
  at_home([this] { plane_->set_reachable(true); });
}

void CoreAdapter::control_lost() {
  at_home([this] { plane_->set_reachable(false); });
}

void CoreAdapter::list_flows(control::Done<std::vector<contract::FlowInfo>> done) {
  at_home([this, done = std::move(done)]() mutable { plane_->list_flows(std::move(done)); });
}

void CoreAdapter::watch_flows(bool on) {
  at_home([this, on] {
    plane_->watch_flows(on, [this](std::vector<contract::FlowInfo> flows) {
      const std::lock_guard lock(link_mutex_);
      if (link_ != nullptr) link_->flows_closed(std::move(flows));
    });
  });
}

void CoreAdapter::close_flows(std::vector<std::uint64_t> ids, control::Done<std::uint64_t> done) {
  at_home([this, ids = std::move(ids), done = std::move(done)]() mutable {
    plane_->close_flows(std::move(ids), false, std::move(done));
  });
}

void CoreAdapter::close_all_flows(control::Done<std::uint64_t> done) {
  at_home(
      [this, done = std::move(done)]() mutable { plane_->close_flows({}, true, std::move(done)); });
}

void CoreAdapter::explain(const contract::ExplainQuery& query,
                          control::Done<Result<contract::Explanation>> done) {
  if (!plane_->current()) return done(fail(Errc::not_found));
  at_home([this, query, done = std::move(done)]() mutable {
    plane_->explain(query,
                    [done = std::move(done)](contract::Explanation out) { done(std::move(out)); });
  });
}

void CoreAdapter::take_counters(control::Done<std::vector<contract::CounterDelta>> done) {
  // Not by way of home, which may wait for the helper: what is not taken is lost with the process.
  plane_->take_counters(std::move(done));
}

void CoreAdapter::read_memory(control::Done<contract::MemoryReport> done) {
  plane_->read_memory(std::move(done));
}

void CoreAdapter::ask(contract::NameQuery query, unsigned worker) noexcept {
  query.id = query.id * workers_ + worker;
  {
    const std::lock_guard lock(link_mutex_);
    if (link_ != nullptr && link_->ask(query)) return;
  }
  contract::NameAnswer nobody;
  nobody.id = query.id;
  nobody.error = Errc::unreachable;
  name_answer(std::move(nobody));
}

}  // namespace sluice::app
