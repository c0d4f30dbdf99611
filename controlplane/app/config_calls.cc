// The user's calls of ConfigFlow, and the way back when nobody confirms.

#include <memory>

#include "controlplane/app/config_flow.h"
#include "proto/common/log.h"

namespace sluice::control_plane {
namespace {

using config_store::Stored;
using manage::fault;
using manage::FaultKind;

/// The way back is tried again this long after it failed.
constexpr Millis kTakeBackPause{5'000};

manage::Fault refused(const std::string& why) {
  return {FaultKind::refused, why + "; the running configuration is as it was"};
}

manage::Fault away() {
  return {FaultKind::unavailable,
          "the data plane is away, so nothing was changed; try again in a moment"};
}

manage::Fault not_kept(const config_store::StoreError& error) {
  return {FaultKind::internal, "it runs, but only until the next start: " + describe(error)};
}

}  // namespace

void ConfigFlow::check(manage::ConfigText config,
                       manage::Reply<std::vector<model::Diagnostic>> reply) {
  auto answer = std::make_shared<manage::Reply<std::vector<model::Diagnostic>>>(std::move(reply));
  auto found = std::make_shared<std::vector<model::Diagnostic>>();
  ports_.work(
      [this, found, config = std::move(config)] {
        *found = preparer_.prepare(config.text, config.file).diagnostics;
      },
      [found, answer] { (*answer)(std::move(*found)); });
}

void ConfigFlow::diff(manage::ConfigText config, manage::Reply<manage::DiffReport> reply) {
  queue([this, config = std::move(config), reply = std::move(reply)]() mutable {
    return do_diff(std::move(config), std::move(reply));
  });
}

Task<void> ConfigFlow::do_diff(manage::ConfigText config, manage::Reply<manage::DiffReport> reply) {
  auto work = [this, config = std::move(config)] {
    manage::DiffReport out;
    out.diagnostics = preparer_.prepare(config.text, config.file).diagnostics;
    if (!model::has_errors(out.diagnostics))
      out.changes = changes_between(session_.running(), config.text);
    return out;
  };
  Task<manage::DiffReport> working = on_worker(std::move(work));
  manage::DiffReport report = co_await working;
  reply(std::move(report));
}

void ConfigFlow::apply(manage::ApplyQuery query, manage::Reply<manage::ApplyReport> reply) {
  queue([this, query = std::move(query), reply = std::move(reply)]() mutable {
    return do_apply(std::move(query), std::move(reply));
  });
}

Task<void> ConfigFlow::do_apply(manage::ApplyQuery query,
                                manage::Reply<manage::ApplyReport> reply) {
  const config_store::ApplyOptions options{
      query.once, Millis{static_cast<std::int64_t>(query.confirm_seconds) * 1000}};
  struct Work {
    Prepared next;
    std::vector<std::string> changes;
    Stored<void> writable;
  };
  auto work = [this, options, config = std::move(query.config)] {
    Work out;
    out.next = preparer_.prepare(config.text, config.file);
    out.changes = changes_between(session_.running(), config.text);
    out.writable = session_.prepare(options);
    return out;
  };
  Task<Work> working = on_worker(std::move(work));
  Work made = co_await working;
  if (made.next.running && !made.writable) {
    reply(std::unexpected(refused(describe(made.writable.error()))));
    co_return;
  }
  Keep keep = [this, options, text = made.next.text] {
    return session_.applied(text, options, monotonic_now(), wall_ms());
  };
  Task<manage::Answer<manage::ApplyReport>> putting =
      put_in_force(std::move(made.next), std::move(made.changes), std::move(keep));
  manage::Answer<manage::ApplyReport> answer = co_await putting;
  reply(std::move(answer));
}

/// What every change on a user's word has in common. Errors of the text, and what the data plane
/// refuses at a place of it, are a report that says "not applied".
Task<manage::Answer<manage::ApplyReport>> ConfigFlow::put_in_force(Prepared next,
                                                                   std::vector<std::string> changes,
                                                                   Keep keep) {
  manage::ApplyReport report;
  report.diagnostics = std::move(next.diagnostics);
  report.generation = generation_;
  if (!next.running) co_return std::move(report);
  if (!ports_.data_plane_up()) co_return std::unexpected(away());
  Task<std::optional<Refusal>> installing = install(next.running);
  std::optional<Refusal> refusal = co_await installing;
  if (refusal && !refusal->in_file) co_return std::unexpected(refused(refusal->sentence()));
  if (refusal) {
    report.diagnostics.push_back(std::move(*refusal->in_file));
    co_return std::move(report);
  }
  Task<Stored<void>> keeping = on_worker(std::move(keep));
  const Stored<void> kept = co_await keeping;
  note_session();
  if (!kept) co_return std::unexpected(not_kept(kept.error()));
  report.applied = true;
  report.generation = generation_;
  report.changes = std::move(changes);
  co_return std::move(report);
}

void ConfigFlow::confirm(manage::Reply<void> reply) {
  queue([this, reply = std::move(reply)]() mutable { return do_confirm(std::move(reply)); });
}

Task<void> ConfigFlow::do_confirm(manage::Reply<void> reply) {
  auto work = [this] { return session_.confirm(wall_ms()); };
  Task<Stored<void>> working = on_worker(std::move(work));
  const Stored<void> done = co_await working;
  note_session();
  if (done)
    reply({});
  else
    reply(fault(FaultKind::refused, describe(done.error())));
}

void ConfigFlow::rollback(std::uint32_t steps, manage::Reply<manage::RollbackReport> reply) {
  queue([this, steps, reply = std::move(reply)]() mutable {
    return do_rollback(steps, std::move(reply));
  });
}

Task<void> ConfigFlow::do_rollback(std::uint32_t steps,
                                   manage::Reply<manage::RollbackReport> reply) {
  struct Work {
    Stored<config_store::Restore> target;
    Prepared next;
    std::vector<std::string> changes;
  };
  auto work = [this, steps] {
    Work out;
    out.target = session_.rollback_target(steps);
    if (!out.target) return out;
    out.next = preparer_.prepare(out.target->text, source_.path());
    out.changes = changes_between(session_.running(), out.target->text);
    return out;
  };
  Task<Work> working = on_worker(std::move(work));
  Work made = co_await working;
  if (!made.target) {
    const auto& error = made.target.error();
    reply(fault(error.fault == config_store::StoreFault::no_version ? FaultKind::not_found
                                                                    : FaultKind::refused,
                describe(error)));
    co_return;
  }
  const std::int64_t saved_wall_ms = made.target->saved_wall_ms;
  Keep keep = [this, target = std::move(*made.target)] {
    return session_.rolled_back(target, wall_ms());
  };
  Task<manage::Answer<manage::ApplyReport>> putting =
      put_in_force(std::move(made.next), std::move(made.changes), std::move(keep));
  manage::Answer<manage::ApplyReport> answer = co_await putting;
  if (answer)
    reply(manage::RollbackReport{std::move(*answer), saved_wall_ms});
  else
    reply(std::unexpected(std::move(answer.error())));
}

Task<void> ConfigFlow::take_back() {
  struct Work {
    bool overdue = false;
    Prepared next;
  };
  auto work = [this] {
    Work out;
    const std::string* text = session_.overdue(monotonic_now());
    if (text == nullptr) return out;
    out.overdue = true;
    out.next = preparer_.prepare(*text, session_.saved_file());
    return out;
  };
  Task<Work> working = on_worker(std::move(work));
  const Work made = co_await working;
  not_before_ = home_.now() + kTakeBackPause;
  if (!made.overdue) co_return;
  std::optional<Refusal> refusal = Refusal{{}, "it cannot be read any more"};
  if (made.next.running) {
    Task<std::optional<Refusal>> installing = install(made.next.running);
    refusal = co_await installing;
  }
  if (refusal) {
    SLUICE_LOG(error, "config", "not confirmed, but the way back fails: %s",
               refusal->sentence().c_str());
    co_return;
  }
  session_.taken_back();
  note_session();
  SLUICE_LOG(warning, "config", "not confirmed in time: the configuration before runs again");
}

}  // namespace sluice::control_plane
