// control/counter_service.h - ReadCounters: one batch at a time, each until it is acknowledged.
//
// While nobody reads nothing is taken from Core, where deltas of the same key add up.
//
// Thread: the control thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "dataplane/control/counter_feed.h"
#include "dataplane/control/room.h"

namespace sluice::control {

class CounterService {
 public:
  CounterService(Room& room, std::uint64_t epoch) : room_(&room), feed_(epoch) {}
  void serve();
  /// Nothing is counted from here on: takes what there is, marks it as final and calls `done` once
  /// it is acknowledged, or at once when nobody reads, or after kFinalPatience.
  void finish(std::function<void()> done);

 private:
  using Call = rpc::Bidi<v1::CounterCursor, v1::CounterBatch>;
  void on_call(const std::shared_ptr<Call>& call);
  void read(const std::shared_ptr<Call>& call);
  void send_front();
  void take();
  void taken(std::vector<contract::CounterDelta> deltas, bool final);
  void end_finish();
  void drop(const std::shared_ptr<Call>& call, const grpc::Status& status);

  Room* room_;
  CounterFeed feed_;
  std::shared_ptr<Call> current_;
  std::uint64_t sent_ = 0;  ///< sequence sent on `current_`
  bool taking_ = false;
  bool final_ = false;  ///< the last batch of the feed is the final one
  std::function<void()> finished_;
  rpc::Queue::TimerId timer_ = 0;
};

}  // namespace sluice::control
