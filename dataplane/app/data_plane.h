// app/data_plane.h - the data plane proper: workers, snapshots, listeners, capture, bindings.
//
//   home thread (one Loop): everything here         workers: engines
//   control thread: CoreAdapter posts to home       reports come back by message
//
// Owner: main(). Thread: home, except where a function says otherwise.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dataplane/app/capture_runner.h"
#include "dataplane/app/descriptor_table.h"
#include "dataplane/app/ledger.h"
#include "dataplane/app/listeners.h"
#include "dataplane/app/neighbour_watch.h"
#include "dataplane/app/process_helper.h"
#include "dataplane/app/snapshot_store.h"
#include "dataplane/flow/engine.h"
#include "proto/contract/blob.h"
#include "proto/contract/choice.h"
#include "proto/contract/explain.h"
#include "proto/contract/memory_report.h"
#include "proto/contract/status.h"

namespace sluice::app {

struct DataPlaneOptions {
  unsigned workers = 1;
  std::uint32_t own_mark = 0;  ///< SO_MARK of our own sockets; 0 = may not mark
  StartProcess start_process;  ///< empty without root
};

/// Why the data plane ends: a user stopped it, or its supervisor died.
enum class Ending : std::uint8_t { asked, orphaned };

template <class... Args>
using Done = std::function<void(Args...)>;

class DataPlane final : private ListenerPort, private flow::EngineSink {
 public:
  /// `names` is asked on worker threads. Errors: those of Worker::make.
  static Result<std::unique_ptr<DataPlane>> make(Loop& home, const DataPlaneOptions& options,
                                                 flow::NameSource& names, CaptureRunner& capture);
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;
  /// Joins the workers.
  ~DataPlane();

  void start();
  /// Offers dial.sock on worker 0; only `allowed` may use it.
  void serve_dial(UniqueFd listener, uid_t allowed);

  /// All or nothing; the verdict comes on the home thread once every worker has adopted it.
  void apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
             Done<contract::Verdict> done);
  /// All choices or none, in the snapshot that runs and in the one that is coming: whichever of
  /// them an Apply ends with has them. Errors: not_found.
  [[nodiscard]] Status select(const std::vector<contract::GroupChoice>& choices);
  /// Of every group of the current snapshot. Any thread.
  [[nodiscard]] std::vector<contract::GroupChoice> choices() const;
  /// Any thread, one batch after the other; `done` comes on a worker.
  void bind_names(std::shared_ptr<const contract::BindingBatch> batch, Done<> done);
  void set_reachable(bool reachable);
  void answer(const contract::NameAnswer& answer, unsigned worker);
  void list_flows(Done<std::vector<contract::FlowInfo>> done);
  void watch_flows(bool on, std::function<void(std::vector<contract::FlowInfo>)> closed);
  /// `all`: ids are not looked at.
  void close_flows(std::vector<std::uint64_t> ids, bool all, Done<std::uint64_t> done);
  void explain(contract::ExplainQuery query, Done<contract::Explanation> done);
  /// Stops accepting and capturing, gives flows `grace`, then closes them and calls `done`: nothing
  /// is counted after that.
  void drain(Ending ending, Millis grace, std::function<void()> done);

  /// Any thread; `done` comes on a worker. Everything counted until now, once.
  void take_counters(Done<std::vector<contract::CounterDelta>> done);
  /// Any thread; `done` comes on a worker.
  void read_memory(Done<contract::MemoryReport> done);

  /// Any thread.
  [[nodiscard]] SnapshotPtr current() const { return snapshots_.current(); }
  [[nodiscard]] contract::HelloReply status() const;
  [[nodiscard]] unsigned worker_count() const noexcept {
    return static_cast<unsigned>(workers_.size());
  }
  DescriptorTable& descriptors() noexcept { return table_; }
  Loop& home() noexcept { return home_; }
  flow::Engine& engine(unsigned worker) noexcept { return *engines_[worker]; }
  Worker& worker(unsigned worker) noexcept { return *workers_[worker]; }
  /// The capture's state changed by itself (helper restarted): refresh what status() says.
  void refresh_status();
  /// An address of this machine came or went. Flows from one that went end: nothing they send can
  /// be answered.
  void addresses_changed();

 private:
  class Drain;
  class Pause;
  struct Application;

  DataPlane(Loop& home, const DataPlaneOptions& options, flow::NameSource& names,
            CaptureRunner& capture);
  Status make_workers(const DataPlaneOptions& options);
  void publish(const SnapshotPtr& snapshot, std::function<void()> adopted);
  void engage(const std::shared_ptr<Application>& application);
  void hand_over(const std::shared_ptr<Application>& application);
  void finish(const std::shared_ptr<Application>& application);
  /// For an Apply that fails after its capture was engaged.
  void restore_capture(const SnapshotPtr& former);
  void roll_back(const std::shared_ptr<Application>& application, const route::Refusal& why);
  void update_limits(const contract::Manifest& manifest);
  /// Facts that rules compare and no flow shows are kept current from now on, or no longer.
  void look_for(const route::FactNeeds& needs);
  void share_own_endpoints();
  /// New sockets of the capture wait to take the place of others.
  [[nodiscard]] bool capture_moves() const;
  void open_capture(contract::CaptureMode mode);
  void close_removed(const contract::Manifest& before, const contract::Manifest& after);
  /// Runs `job` on every worker, `done` on the last of them. Any thread.
  void ask_workers(const std::function<void(flow::Engine&)>& job, std::function<void()> done);
  /// The same with `done` on home.
  void on_every_worker(const std::function<void(flow::Engine&)>& job, std::function<void()> done);

  void open_on(unsigned worker, contract::ListenerKind kind, const std::string& name, UniqueFd tcp,
               UniqueFd udp) override;
  void close_everywhere(const std::string& name) override;
  void counted(unsigned worker, flow::EngineTotals totals,
               std::vector<contract::CounterDelta> deltas) noexcept override;
  void flows_closed(std::vector<contract::FlowInfo> flows) noexcept override;

  Loop& home_;
  flow::NameSource& names_;
  CaptureRunner& capture_;
  MemoryBudget budget_;
  SnapshotStore snapshots_;
  NeighbourWatch neighbours_;
  ProcessHelper process_;
  DescriptorTable table_;
  Ledger ledger_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<flow::Engine>> engines_;
  std::unique_ptr<Listeners> listeners_;
  std::shared_ptr<Application> applying_;  ///< until its verdict is given
  std::unique_ptr<Pause> pause_;           ///< of `applying_`
  std::unique_ptr<Drain> drain_;
  std::function<void(std::vector<contract::FlowInfo>)> on_closed_;
  std::uint64_t generation_ = 0;
  bool capture_open_ = false;         ///< the workers have shares of the capture's sockets
  std::vector<IpAddress> addresses_;  ///< of this machine, as last seen
  std::int64_t start_wall_ms_;

  struct Totals {
    std::atomic<std::uint64_t> open_flows{0};
    std::atomic<std::uint64_t> upload{0};
    std::atomic<std::uint64_t> download{0};
    std::atomic<std::uint64_t> udp_mappings{0};
    std::atomic<std::uint64_t> udp_evicted{0};
    std::atomic<std::uint64_t> udp_dropped{0};
  };
  std::vector<std::unique_ptr<Totals>> totals_;  ///< one per worker, written by it
  mutable std::mutex status_mutex_;
  contract::HelloReply status_;  ///< what changes rarely; guarded
};

}  // namespace sluice::app
