// control/log_service.h - WatchLog: records to every watcher, at its own level.
//
// Thread: the control thread.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dataplane/control/log_feed.h"
#include "dataplane/control/room.h"

namespace sluice::control {

class LogService {
 public:
  explicit LogService(Room& room) : room_(&room) {}
  void serve();

 private:
  using Call = rpc::ServerStream<v1::WatchLogRequest, v1::LogRecords>;
  struct Watcher {
    std::shared_ptr<Call> call;
    LogLevel level = LogLevel::info;
    std::vector<contract::LogRecord> held;
    std::uint64_t lost = 0;
  };
  void on_watch(const std::shared_ptr<Call>& call);
  void end(std::uint64_t id);
  void follow_levels();
  void tick();
  void hand_out(LogFeed::Drained drained);
  void flush(Watcher& watcher);

  Room* room_;
  LogFeed feed_;
  std::unordered_map<std::uint64_t, Watcher> watchers_;
  std::uint64_t last_watcher_ = 0;
  rpc::Queue::TimerId timer_ = 0;
};

}  // namespace sluice::control
