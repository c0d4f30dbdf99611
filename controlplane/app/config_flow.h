// app/config_flow.h - the steps by which a configuration comes into force, and goes back.
//
//   read ─> prepare ─┬─ errors ────────────────────────────────> said; nothing changed
//                    └─> sockets of the names side open ─┬─ no ─> put back; said
//                          data plane: Apply ────────────┼─ refused ─> put back; said
//                          names, log level, stores, file <┘
//
// At a restart (First::restarted) a file that does not load, or that the data plane refuses, must
// not end what ran so well: the last good configuration, if it is another one, stands in, and
// status says why, until a reload or an apply brings a good one. If it is the same one, the start
// fails.
//
// Start, SIGHUP, `config apply`, `rollback` and the end of the time to confirm all take this way.
// One change at a time: others wait in order. Between "sockets open" and the verdict the names side
// keeps its old pools, so a refusal loses no fake address and no address is handed out that the
// data plane does not know.
//
// Owner: ControlPlane. Thread: home. Blocking steps run through ConfigPorts::work.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/app/config_ports.h"
#include "controlplane/app/config_source.h"
#include "controlplane/app/later.h"
#include "controlplane/app/preparer.h"
#include "controlplane/config_store/session.h"
#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "proto/runtime/loop/task_set.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/process/exit_code.h"

namespace sluice::control_plane {

/// Why a configuration that is right in itself did not come into force.
struct Refusal {
  std::string place;  ///< in the manifest: "listeners[0].port"; "dns.listen"; empty: none
  std::string reason;
  std::optional<model::Diagnostic> in_file{};  ///< the same at the user's place, if it has one
  [[nodiscard]] std::string sentence() const;
  /// The text was judged; without a place only the transport failed.
  [[nodiscard]] bool is_verdict() const noexcept { return !place.empty(); }
  /// A verdict on what the text says, not on what the kernel lets us capture.
  [[nodiscard]] bool is_of_text() const noexcept;
  /// How the process ends when its first configuration met this.
  [[nodiscard]] ExitCode exit_code() const noexcept;
};

/// What a start begins with.
struct First {
  Prepared file;           ///< without `running` when the file does not load
  std::string broken;      ///< then why, with its place; else empty
  bool restarted = false;  ///< the data plane may run what an earlier control plane gave it
};

class ConfigFlow {
 public:
  /// All must outlive it; `source`, `preparer` and the session are used on the work thread.
  ConfigFlow(Loop& home, ConfigPorts& ports, ConfigSource& source, Preparer& preparer,
             config_store::History history, config_store::LastGood last_good);
  ConfigFlow(const ConfigFlow&) = delete;
  ConfigFlow& operator=(const ConfigFlow&) = delete;

  using Started = std::function<void(const std::optional<Refusal>&)>;
  /// The first configuration; without `running` only when `restarted`. `done` waits for the data
  /// plane.
  void start(First first, Started done);
  /// SIGHUP. All that is wrong is logged. While the data plane is away it waits for it.
  void reload();
  /// A data plane came up: what waited for it goes on.
  void data_plane_is_back();
  /// The content of a set is no longer what was compiled: the running text is compiled again. Cheap
  /// to call again while that waits.
  void sets_changed();
  /// Opens LAN devices' sockets that are missing; tells the data plane what changed, or everything
  /// again. Cheap to call again while one waits or runs: at most one more is queued, and only for
  /// what that one does not do.
  void refresh(bool everything);

  void check(manage::ConfigText config, manage::Reply<std::vector<model::Diagnostic>> reply);
  void diff(manage::ConfigText config, manage::Reply<manage::DiffReport> reply);
  void apply(manage::ApplyQuery query, manage::Reply<manage::ApplyReport> reply);
  void confirm(manage::Reply<void> reply);
  void rollback(std::uint32_t steps, manage::Reply<manage::RollbackReport> reply);

  /// Null before the first one is in force.
  [[nodiscard]] const RunningPtr& running() const noexcept { return running_; }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  /// Wall clock: since when the lines of the rules are what they are; 0: since the start.
  [[nodiscard]] std::int64_t rules_changed_wall_ms() const noexcept { return rules_changed_ms_; }
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }
  /// Why the last good configuration runs instead of the file; empty when it does not.
  [[nodiscard]] std::string file_fault() const {
    return on_last_good_ ? file_fault_ : std::string();
  }
  /// The file that the running text is from. Needs running().
  [[nodiscard]] const std::string& running_file() const noexcept {
    // What is saved stands in a file of ours, whatever file it was applied from.
    return unsaved_ ? running_->legend.file : saved_file_;
  }
  [[nodiscard]] std::uint32_t confirm_seconds_left() const noexcept;
  /// A LAN device had no socket at the last try.
  [[nodiscard]] bool devices_missing() const noexcept { return !missing_.empty(); }

 private:
  using Step = std::move_only_function<Task<void>()>;

  void queue(Step step);
  Task<void> serve();
  Task<void> do_start(First first, Started done);
  Task<std::optional<Refusal>> fall_back(std::string fault, std::string tried, Refusal no_other);
  Task<void> do_reload();
  Task<void> do_sets_changed();
  Task<void> do_refresh();
  Task<void> look_again(bool everything);
  Task<void> do_diff(manage::ConfigText config, manage::Reply<manage::DiffReport> reply);
  Task<void> do_apply(manage::ApplyQuery query, manage::Reply<manage::ApplyReport> reply);
  /// How the session learns of a text that is in force; on the work thread.
  using Keep = std::function<config_store::Stored<void>()>;
  Task<manage::Answer<manage::ApplyReport>> put_in_force(Prepared next,
                                                         std::vector<std::string> changes,
                                                         Keep keep);
  Task<void> do_confirm(manage::Reply<void> reply);
  Task<void> do_rollback(std::uint32_t steps, manage::Reply<manage::RollbackReport> reply);
  Task<void> take_back();

  /// Nothing: it is in force. Otherwise everything is as it was.
  Task<std::optional<Refusal>> install(RunningPtr next);
  Task<std::optional<Refusal>> push(RunningPtr next);
  [[nodiscard]] std::optional<Refusal> open_sockets(const dns::DnsOptions& options);
  [[nodiscard]] bool same_as_pushed(const Running& next) const;
  void note_session();
  template <class F>
  auto on_worker(F job) -> Task<decltype(job())>;

  Loop& home_;
  ConfigPorts& ports_;
  ConfigSource& source_;
  Preparer& preparer_;
  config_store::Session session_;  ///< work thread, or home while no job runs
  RunningPtr running_;
  std::vector<contract::DnsPort> pushed_ports_;
  std::uint64_t generation_ = 0;
  std::int64_t rules_changed_ms_ = 0;
  std::vector<std::string> missing_;  ///< what was said of LAN devices without a socket
  std::string refused_again_;         ///< what refresh() said last
  bool reload_waits_ = false;
  bool sets_queued_ = false;  ///< a compile for sets_changed()
  bool sets_wait_ = false;    ///< the same, for the data plane to come back
  // Of refresh(): everything, or what changed.
  std::optional<bool> refresh_queued_;
  std::optional<bool> refresh_running_;
  // Copies of the session's, so that status never waits for the disk.
  bool unsaved_ = false;
  bool on_last_good_ = false;
  std::string saved_file_;
  std::optional<Moment> confirm_by_;
  std::string file_fault_;  ///< what a restart found; told while the last good one runs
  Moment not_before_{};     ///< of the next try to take back

  std::deque<Step> steps_;
  Event wake_;
  TaskSet tasks_;  // last: its frames use the members above
};

template <class F>
auto ConfigFlow::on_worker(F job) -> Task<decltype(job())> {
  using T = decltype(job());
  auto later = std::make_shared<Later<T>>(home_);
  auto made = std::make_shared<std::optional<T>>();
  ports_.work([job = std::move(job), made] { made->emplace(job()); },
              [later, made] { later->fill(std::move(**made)); });
  co_await later->filled();
  co_return later->take();
}

}  // namespace sluice::control_plane
