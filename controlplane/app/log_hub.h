// app/log_hub.h - the log of both planes, for whoever watches.
//
//   our lines, any thread ── tap ── post ──┐
//   the data plane's, WatchLog stream ─────┴─> home: the last kKept lines, watchers
//
// Lines come at the configured level, which formats nothing that standard error does not show, and
// at a lower one while a watcher asks for it. Owner: ControlPlane. Thread: home.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "controlplane/app/plane_link.h"
#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "proto/common/log.h"

namespace sluice::control_plane {

class LogHub {
 public:
  /// Lines kept for a reader who comes later, about 64 KiB.
  static constexpr std::size_t kKept = 256;

  LogHub(Loop& home, PlaneLink& plane) : home_(home), plane_(plane) {}
  LogHub(const LogHub&) = delete;
  LogHub& operator=(const LogHub&) = delete;
  /// On home, after the loop has ended: lines under way are dropped.
  ~LogHub();

  [[nodiscard]] std::size_t kept_count() const noexcept { return kept_.size(); }
  [[nodiscard]] std::size_t kept_bytes() const noexcept;
  /// The level of the configuration.
  void set_level(LogLevel level);
  /// The client exists from now on.
  void follow_plane();
  void watch(const manage::LogQuery& query, manage::WatcherPtr<manage::LogLine> watcher);
  /// Ends every stream.
  void end(const manage::Fault& fault);

 private:
  struct Watch {
    LogLevel level = LogLevel::info;
    manage::WatcherPtr<manage::LogLine> watcher;
  };
  static void tap(void* context, LogLevel level, std::string_view component, std::string_view text,
                  std::int64_t wall_ms);
  void add(manage::LogLine line);
  void prune(const manage::Watcher<manage::LogLine>* gone);
  void listen();

  Loop& home_;
  PlaneLink& plane_;
  LogLevel configured_ = LogLevel::info;
  LogLevel listening_ = LogLevel::silent;
  std::deque<manage::LogLine> kept_;
  std::vector<Watch> watches_;
  push::Subscription plane_lines_;
};

}  // namespace sluice::control_plane
