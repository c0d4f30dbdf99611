// flow/flow.h - one flow's record: what users see of it, its counters, and the way to end it early.
//
// A Flow is born when a client's target is known and lives as long as the coroutine or association
// that owns it. It is a member of its worker's FlowTable for all that time.
// The record's texts keep their room from one flow to the next (FlowTable's spare records), so that
// a flow like those before it allocates nothing.
//
// Owner: that coroutine or association. Thread: its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/flow/relay.h"
#include "dataplane/worker/grant.h"
#include "proto/contract/flow_info.h"
#include "proto/runtime/loop/frame_pool.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::flow {

class FlowTable;
struct CounterRow;
struct Request;

/// Why a flow ends; `text` says it with its particulars.
struct CloseCause {
  contract::CloseReason reason = contract::CloseReason::failed;
  std::string_view text;
};

/// What a flow shows of itself, in a place that is used again.
struct FlowRecord {
  contract::FlowInfo info;
  std::vector<std::string> names;  ///< room for chains, while `info` has none
};

class Flow final : public frame_pool::Pooled {
 public:
  /// Enters the table and gets its id.
  Flow(FlowTable& table, const contract::FlowInfo& info);
  Flow(FlowTable& table, const Request& request);
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  /// Leaves the table; what is not accounted yet is.
  ~Flow();

  [[nodiscard]] std::uint64_t id() const noexcept { return info.id; }
  /// The record with its counters and state brought up to date.
  [[nodiscard]] contract::FlowInfo snapshot() const;
  void set_state(contract::FlowState state) noexcept { info.state = state; }
  /// The first reason stays.
  void close_because(CloseCause cause);
  /// Ends every wait of the flow; its owner unwinds.
  void cancel(CloseCause cause);
  /// The record, for describe_route() to write the route into.
  [[nodiscard]] contract::FlowInfo& undecided() noexcept;
  /// Called by cancel(), for an owner that waits for other things meanwhile. nullptr: nobody.
  void set_cancel_sink(WatchSink* sink) noexcept { cancel_sink_ = sink; }

 private:
  FlowTable& table_;
  std::unique_ptr<FlowRecord> record_;

 public:
  contract::FlowInfo& info;
  Meter meter;
  Grant grant;
  CancelScope scope;
  Endpoint dialled;  ///< of a stream: what the upstream's socket is connected to
  /// Its owner's; nullptr while there is none.
  const transport::End* upstream = nullptr;

 private:
  friend class FlowTable;
  std::uint64_t counted_up_ = 0;  ///< bytes that `row_` has
  std::uint64_t counted_down_ = 0;
  CounterRow* row_ = nullptr;  ///< held; nullptr until the flow is decided
  WatchSink* cancel_sink_ = nullptr;
  Flow* next_ = nullptr;
  Flow* previous_ = nullptr;
};

/// The flow's record knows its upstream as long as this lives.
class Towards {
 public:
  Towards(Flow& flow, const transport::End& end) noexcept : flow_(flow) { flow.upstream = &end; }
  Towards(const Towards&) = delete;
  Towards& operator=(const Towards&) = delete;
  ~Towards() { flow_.upstream = nullptr; }

 private:
  Flow& flow_;
};

}  // namespace sluice::flow
