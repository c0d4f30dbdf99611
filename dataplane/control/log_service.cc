#include "dataplane/control/log_service.h"

#include <algorithm>
#include <utility>

#include "dataplane/control/bounds.h"
#include "proto/wire/enums.h"
#include "proto/wire/status.h"

namespace sluice::control {

void LogService::serve() {
  rpc::serve(room_->completions, room_->service, &v1::DataPlane::AsyncService::RequestWatchLog,
             [this](const std::shared_ptr<Call>& call) { on_watch(call); });
}

void LogService::on_watch(const std::shared_ptr<Call>& call) {
  wire::Finding found;
  LogLevel level = LogLevel::info;
  wire::from_wire(wire::Scope(found), "level", call->request.level(), level);
  if (found.first) {
    call->finish(invalid(found.first->to_string()));
    return;
  }
  if (watchers_.size() >= kMaxWatchers) {
    call->finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many watchers"});
    return;
  }
  const std::uint64_t id = ++last_watcher_;
  watchers_[id] = Watcher{call, level, {}, 0};
  call->on_over([this, id] { end(id); });
  follow_levels();
  if (timer_ == 0) timer_ = room_->queue->after(kLogPeriod, [this] { tick(); });
}

void LogService::end(std::uint64_t id) {
  if (watchers_.erase(id) != 0) follow_levels();
}

void LogService::follow_levels() {
  LogLevel least = LogLevel::silent;
  for (const auto& [id, watcher] : watchers_) least = std::min(least, watcher.level);
  if (watchers_.empty())
    feed_.stop();
  else
    feed_.start(least);
}

void LogService::tick() {
  timer_ = 0;
  if (watchers_.empty()) return;
  hand_out(feed_.drain());
  for (auto& [id, watcher] : watchers_) flush(watcher);
  timer_ = room_->queue->after(kLogPeriod, [this] { tick(); });
}

void LogService::hand_out(LogFeed::Drained drained) {
  for (auto& [id, watcher] : watchers_) {
    watcher.lost += drained.lost;
    for (const contract::LogRecord& record : drained.records) {
      if (record.level < static_cast<std::uint8_t>(watcher.level)) continue;
      if (watcher.held.size() < kMaxRecordsHeld)
        watcher.held.push_back(record);
      else
        ++watcher.lost;
    }
  }
}

void LogService::flush(Watcher& watcher) {
  // A line is at most 1 KiB (common/log), so a hundred stay far below a message's bound.
  constexpr std::size_t kPerMessage = 100;
  if (watcher.call->writing() || (watcher.held.empty() && watcher.lost == 0)) return;
  const std::size_t count = std::min(kPerMessage, watcher.held.size());
  v1::LogRecords message;
  message.set_lost(std::exchange(watcher.lost, 0));
  for (std::size_t i = 0; i < count; ++i) wire::encode(watcher.held[i], message.add_records());
  watcher.held.erase(watcher.held.begin(),
                     watcher.held.begin() + static_cast<std::ptrdiff_t>(count));
  watcher.call->write(message, [](bool) {});
}

}  // namespace sluice::control
