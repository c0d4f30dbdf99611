// app/core_adapter.h - the data plane as the contract's server sees it.
//
//   control thread ── Core calls ──> post ──> home thread: DataPlane
//   worker threads ── NameSource::ask ──> ControlLink::ask ──> name_answer ──> the same worker
//
// Question ids carry their worker: id on the contract = id on the worker × workers + worker.
//
// Owner: main(). Threads: as control/core.h and flow/names.h say.
#pragma once

#include <atomic>
#include <mutex>

#include "dataplane/app/capture_runner.h"
#include "dataplane/app/data_plane.h"
#include "dataplane/control/core.h"
#include "dataplane/flow/names.h"

namespace sluice::app {

class CoreAdapter final : public control::Core, public flow::NameSource {
 public:
  explicit CoreAdapter(unsigned workers) noexcept : workers_(workers) {}
  /// Before the server starts.
  void connect(DataPlane& plane, CaptureRunner& capture) noexcept {
    plane_ = &plane;
    capture_ = &capture;
  }

  // control::Core
  void attach(control::ControlLink* link) override;
  contract::HelloReply hello() override;
  void apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
             control::Done<contract::Verdict> done) override;
  void select(std::vector<contract::GroupChoice> choices, control::Done<Status> done) override;
  std::vector<contract::GroupChoice> choices() override;
  void read_rules(control::Done<contract::RuleStates> done) override;
  void set_rules(contract::RuleSwitches switches, control::Done<contract::Verdict> done) override;
  void open_guard(control::Done<std::string> done) override;
  void bind_names(contract::BindingBatch batch, control::Done<bool> done) override;
  void name_answer(contract::NameAnswer answer) override;
  void control_back() override;
  void control_lost() override;
  void list_flows(control::Done<std::vector<contract::FlowInfo>> done) override;
  void watch_flows(bool on) override;
  void close_flows(std::vector<std::uint64_t> ids, control::Done<std::uint64_t> done) override;
  void close_all_flows(control::Done<std::uint64_t> done) override;
  void explain(const contract::ExplainQuery& query,
               control::Done<Result<contract::Explanation>> done) override;
  void take_counters(control::Done<std::vector<contract::CounterDelta>> done) override;
  void read_memory(control::Done<contract::MemoryReport> done) override;

  // flow::NameSource
  void ask(contract::NameQuery query, unsigned worker) noexcept override;

 private:
  template <class F>
  void at_home(F&& job) {
    plane_->home().post(make_job(std::forward<F>(job)));
  }

  unsigned workers_;
  DataPlane* plane_ = nullptr;
  CaptureRunner* capture_ = nullptr;
  std::mutex link_mutex_;  ///< the link may go while a worker asks
  control::ControlLink* link_ = nullptr;
};

}  // namespace sluice::app
