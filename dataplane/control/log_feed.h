// control/log_feed.h - log lines on their way from any thread to the watchers.
//
//   SLUICE_LOG on any thread -> tap (copies, under the log's lock) -> bounded queue -> drain()
//
// While stopped the tap is not set, so a disabled line still costs one load.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "proto/common/log.h"
#include "proto/contract/status.h"

namespace sluice::control {

class LogFeed {
 public:
  LogFeed() = default;
  LogFeed(const LogFeed&) = delete;
  LogFeed& operator=(const LogFeed&) = delete;
  ~LogFeed() { stop(); }

  /// Lines from `level` up from now on, and no others on standard error: the data plane reads no
  /// configuration, so this is how `log-level` comes here. One feed at a time.
  void start(LogLevel level);
  /// Standard error has lines from info up again.
  void stop();

  struct Drained {
    std::vector<contract::LogRecord> records;
    std::uint64_t lost = 0;  ///< found no room since the last drain
  };
  [[nodiscard]] Drained drain();

 private:
  static void tap(void* context, LogLevel level, std::string_view component, std::string_view text,
                  std::int64_t wall);

  std::mutex mutex_;  // guards what follows
  std::vector<contract::LogRecord> records_;
  std::uint64_t lost_ = 0;
};

}  // namespace sluice::control
