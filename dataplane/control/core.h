// control/core.h - what the contract's server asks of the data plane proper.
//
//   control thread                      dataplane/app (Core)                 workers
//     Apply, Bind, List ...  -- call -->  ask each worker  -- messages -->     ...
//     posted back            <-- done --  when all answered <-- messages --
//
// Plain contract shapes only: neither protobuf nor gRPC is seen on this side.
//
// Threads: every function of Core is called on the control thread and must not block it (heartbeats
// are judged there). A `Done` is called exactly once, from any thread, also from within the call;
// what comes after the server is gone is ignored. ControlLink may be used from any thread.
//
// Already done when Core is called: messages are decoded and bounded, blobs match their digests and
// all blobs of a manifest are there, binding batches come in order of their numbers, one Apply and
// one batch at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proto/common/result.h"
#include "proto/contract/blob.h"
#include "proto/contract/choice.h"
#include "proto/contract/counters.h"
#include "proto/contract/explain.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/manifest.h"
#include "proto/contract/memory_report.h"
#include "proto/contract/names.h"
#include "proto/contract/rules.h"
#include "proto/contract/status.h"

namespace sluice::control {

template <class... Args>
using Done = std::function<void(Args...)>;

/// What Core may ask of the control plane. Thread: any. Valid from Core::attach to its next call.
class ControlLink {
 public:
  virtual ~ControlLink() = default;
  /// Sends a question; the answer comes as Core::name_answer with the same id, exactly once; when
  /// the control plane goes away, or too many questions wait, with an error. Ids of questions under
  /// way are unique. False: no control plane listens now and no answer will come.
  virtual bool ask(const contract::NameQuery& query) = 0;
  /// Final states of flows, while Core::watch_flows(true) holds. Batches are welcome.
  virtual void flows_closed(std::vector<contract::FlowInfo> flows) = 0;
};

class Core {
 public:
  virtual ~Core() = default;

  /// The link to use from now on; nullptr when the server ends.
  virtual void attach(ControlLink* link) = 0;

  /// Listeners, capture, abilities, totals, generation. The server fills in version, program,
  /// epoch, blobs and last_binding.
  virtual contract::HelloReply hello() = 0;

  /// Validates `manifest` in full, builds a snapshot and publishes it on all workers, or refuses
  /// and changes nothing. `blobs` are exactly those of blobs_of(manifest), in its order.
  virtual void apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
                     Done<contract::Verdict> done) = 0;

  /// All choices or none; while an Apply is under way they hold for whatever comes of it.
  /// Errors: not_found.
  virtual void select(std::vector<contract::GroupChoice> choices, Done<Status> done) = 0;
  /// What each group of the running snapshot has chosen, whoever chose it.
  virtual std::vector<contract::GroupChoice> choices() = 0;
  /// What became of the rule lines of the running snapshot.
  virtual void read_rules(Done<contract::RuleStates> done) = 0;
  /// All of them or none; a refusal says why and where, as one of apply() does.
  virtual void set_rules(contract::RuleSwitches switches, Done<contract::Verdict> done) = 0;
  /// Lifts the fail-closed guard. The reason when it cannot be done, empty on success.
  virtual void open_guard(Done<std::string> done) { done("nothing is captured here"); }

  /// Done when every worker holds the batch. `batch` is in the log already when this is called, and
  /// acknowledged after done(true). False: it could not be taken; the reader starts anew.
  virtual void bind_names(contract::BindingBatch batch, Done<bool> done) = 0;

  virtual void name_answer(contract::NameAnswer answer) = 0;
  /// Heartbeats came back (also the first time), or three are missing. They alternate; before the
  /// first control_back() the control plane counts as lost.
  virtual void control_back() = 0;
  virtual void control_lost() = 0;

  /// All flows of all workers, in any order.
  virtual void list_flows(Done<std::vector<contract::FlowInfo>> done) = 0;
  /// Whether somebody watches: then closed flows are reported to ControlLink::flows_closed.
  virtual void watch_flows(bool on) = 0;
  /// Closes these (unknown ids are skipped); the number closed.
  virtual void close_flows(std::vector<std::uint64_t> ids, Done<std::uint64_t> done) = 0;
  virtual void close_all_flows(Done<std::uint64_t> done) = 0;

  /// Errors: not_found when nothing has been applied yet; timeout when a name did not come.
  virtual void explain(const contract::ExplainQuery& query,
                       Done<Result<contract::Explanation>> done) = 0;

  /// Hands over everything that the workers counted until now and was not handed over, and forgets
  /// it: from here on the server keeps it until it is acknowledged. Called about once a second
  /// while somebody reads.
  virtual void take_counters(Done<std::vector<contract::CounterDelta>> done) = 0;

  /// Each pool and cache, all workers together.
  virtual void read_memory(Done<contract::MemoryReport> done) = 0;
};

}  // namespace sluice::control
