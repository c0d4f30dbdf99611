// app/control_plane.h - the rooms of the control plane, wired.
//
//   home (one Loop)   names, configuration steps, choices, logs, what calls are answered with
//   work              reading, compiling, writing files (WorkThread)
//   writer            state.db, stats.db (stats::Writer)
//   client            the data plane: heartbeats, names, bindings, counters (push)
//   server            manage.sock (manage)
//
// Nothing is shared between threads but by posting; each room's header says on which thread its
// callbacks run. Members are destroyed in reverse order: server first, then the client, the work
// thread, names, and the writer and stores last.
//
// Owner: main(). Thread: home.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/app/choices.h"
#include "controlplane/app/config_flow.h"
#include "controlplane/app/config_ports.h"
#include "controlplane/app/config_source.h"
#include "controlplane/app/flow_watches.h"
#include "controlplane/app/log_hub.h"
#include "controlplane/app/name_bridge.h"
#include "controlplane/app/options.h"
#include "controlplane/app/plane_link.h"
#include "controlplane/app/rule_calls.h"
#include "controlplane/app/rule_sets.h"
#include "controlplane/app/service.h"
#include "controlplane/app/work_thread.h"
#include "controlplane/clients/client_names.h"
#include "controlplane/dns/dns.h"
#include "controlplane/manage/server.h"
#include "controlplane/stats/state_store.h"
#include "controlplane/stats/stats_store.h"
#include "controlplane/stats/writer.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/watch.h"
#include "proto/runtime/process/exit_code.h"

namespace sluice::control_plane {

class ControlPlane final : private ConfigPorts,
                           private PlaneSink,
                           private Timer,
                           private WatchSink {
 public:
  /// Opens the stores. `source` and `preparer` outlive it.
  ControlPlane(Loop& home, const Options& options, ConfigSource& source, Preparer& preparer);
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;
  ~ControlPlane() override;

  /// Serves `first` (config_flow.h). A sentence when manage.sock cannot be offered. What fails
  /// later stops the loop; exit_code() says how.
  [[nodiscard]] std::optional<std::string> start(First first);
  void reload() { config_.reload(); }
  /// Waits for the last counters, closes the stores, stops the loop. Once.
  void drain();
  [[nodiscard]] ExitCode exit_code() const noexcept { return exit_code_; }

 private:
  // ConfigPorts
  void starting(const Running& first) override;
  void work(std::function<void()> job, std::function<void()> then) override;
  std::vector<dns::ListenProblem> serve_names(const dns::DnsOptions& options) override;
  [[nodiscard]] std::vector<contract::DnsPort> hijack_ports() const override;
  [[nodiscard]] bool data_plane_up() const override { return plane_.up(); }
  void push(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
            std::function<void(contract::Verdict)> done) override;
  void adopted(const RunningPtr& running) override;
  // PlaneSink
  void plane_served() override;
  void plane_away() override;
  void plane_refuses(const contract::Verdict& verdict) override;
  void plane_asks(const contract::NameQuery& query, push::Done<contract::NameAnswer> done) override;
  std::vector<contract::Binding> everything_bound() override { return names_.bindings(); }
  void counters_committed() override;
  /// Housekeeping, and the end of a drain's patience.
  void fire() noexcept override;
  /// manage.sock has connections.
  void on_ready() noexcept override;

  [[nodiscard]] std::optional<std::string> serve_management();
  void started(const std::optional<Refusal>& refusal);
  void end_streams();
  void finish_drain();
  [[nodiscard]] std::vector<std::string> dns_ports() const;
  [[nodiscard]] contract::MemoryReport memory() const;
  /// What a configuration says about statistics and the names of clients.
  void account_by(const Running& running);

  Loop& home_;
  const Options options_;
  Preparer& preparer_;
  ExitCode exit_code_ = ExitCode::ok;
  bool draining_ = false;
  bool refused_ = false;  ///< the data plane does not take what runs
  bool restored_ = false;

  stats::Writer writer_;
  stats::StateStore state_;
  stats::StatsStore stats_;
  Choices choices_;
  clients::ClientNames clients_;
  PlaneLink plane_;
  NameBridge bridge_;
  dns::Dns names_;
  ConfigFlow config_;
  RuleCalls rules_;
  WorkThread work_;
  RuleSets sets_;
  LogHub logs_;
  FlowWatches flows_;
  AppService service_;
  std::unique_ptr<manage::Server> server_;
  std::unique_ptr<Watch> connections_;
};

}  // namespace sluice::control_plane
