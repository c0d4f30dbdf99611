#include "dataplane/control/log_feed.h"

#include <utility>

#include "dataplane/control/bounds.h"

namespace sluice::control {

void LogFeed::start(LogLevel level) {
  set_log_level(level);
  set_log_tap(&LogFeed::tap, this, level);
}

void LogFeed::stop() {
  set_log_tap(nullptr, nullptr, LogLevel::silent);
  set_log_level(LogLevel::info);
  (void)drain();
}

LogFeed::Drained LogFeed::drain() {
  const std::lock_guard lock(mutex_);
  return {std::exchange(records_, {}), std::exchange(lost_, 0)};
}

void LogFeed::tap(void* context, LogLevel level, std::string_view component, std::string_view text,
                  std::int64_t wall) {
  auto& self = *static_cast<LogFeed*>(context);
  const std::lock_guard lock(self.mutex_);
  if (self.records_.size() >= kMaxRecordsHeld) {
    ++self.lost_;
    return;
  }
  self.records_.push_back(
      {wall, static_cast<std::uint8_t>(level), std::string(component), std::string(text)});
}

}  // namespace sluice::control
