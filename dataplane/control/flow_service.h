// control/flow_service.h - WatchFlows, ListFlows, CloseFlows, Explain.
//
// A watcher is asked for again only after its last message went out: a slow reader gets fewer and
// larger differences, and holds at most kMaxClosedHeld closed flows here.
//
// Thread: the control thread; flows_closed() any.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dataplane/control/flow_delta.h"
#include "dataplane/control/room.h"

namespace sluice::control {

class FlowService {
 public:
  explicit FlowService(Room& room) : room_(&room) {}
  void serve();
  /// See ControlLink::flows_closed.
  void flows_closed(std::vector<contract::FlowInfo> flows);

 private:
  using WatchCall = rpc::ServerStream<v1::WatchFlowsRequest, v1::FlowEvents>;
  using ListCall = rpc::ServerStream<v1::ListFlowsRequest, v1::FlowPage>;
  using CloseCall = rpc::Unary<v1::CloseFlowsRequest, v1::CloseFlowsReply>;
  using ExplainCall = rpc::Unary<v1::ExplainQuery, v1::Explanation>;
  struct Watcher {
    std::shared_ptr<WatchCall> call;
    Millis interval{};
    FlowDelta delta;
    std::vector<contract::FlowInfo> closed;
    std::uint64_t lost = 0;
    std::deque<v1::FlowEvents> parts;  ///< of the message under way
  };

  void on_watch(const std::shared_ptr<WatchCall>& call);
  void look(std::uint64_t id);
  void write_next(std::uint64_t id);
  void end(std::uint64_t id);
  void take_closed(const std::vector<contract::FlowInfo>& flows);
  void on_list(const std::shared_ptr<ListCall>& call);
  void on_close(const std::shared_ptr<CloseCall>& call);
  void on_explain(const std::shared_ptr<ExplainCall>& call);

  Room* room_;
  std::unordered_map<std::uint64_t, Watcher> watchers_;
  std::uint64_t last_watcher_ = 0;
};

}  // namespace sluice::control
