// provider/provider.h - one provider: its bytes in force, and the way to newer ones.
//
//   http    local copy ─> accept ─> in force ─> settled ─┬─ due, or refresh_now() ─┐
//                └ broken: moved aside                   │  mirrors in order       │
//                                                        └─ accept ─ store ─ in force
//           a failure: what is in force stays, next try by Backoff
//   file    read ─> accept ─> in force ─> settled ── changed ─> again
//   inline  accept ─> in force ─> settled
//
// What is in force is what is stored: a restart brings the same. Only where nothing can be stored
// it is in memory alone, and says so. Nothing here waits for the network before settled().
//
// Thread: the loop's; Consumer::accept and the disk on the work thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controlplane/provider/backoff.h"
#include "controlplane/provider/consumer.h"
#include "controlplane/provider/fetcher.h"
#include "controlplane/provider/file_watch.h"
#include "controlplane/provider/intake.h"
#include "controlplane/provider/local_copy.h"
#include "controlplane/provider/refresh.h"
#include "controlplane/provider/source.h"
#include "controlplane/provider/work.h"
#include "proto/runtime/loop/task_set.h"

namespace sluice::provider {

/// What a provider stands on; all outlive it.
struct Surroundings {
  Loop& loop;
  Work& work;
  Fetcher& fetcher;
  Random random;                          ///< jitter
  std::function<std::int64_t()> wall_ms;  ///< wall clock
};

struct ProviderStatus {
  bool in_force = false;  ///< there is content
  bool settled = false;
  bool refreshing = false;
  std::int64_t changed_ms = 0;  ///< wall clock: when the content in force came; 0: there is none
  std::int64_t checked_ms = 0;  ///< wall clock: when it was last known to be current
  std::int64_t next_ms = 0;     ///< wall clock: when it is looked at by itself; 0: not planned
  FetchProgress progress;       ///< while refreshing
  std::string fault;            ///< why the last attempt failed, or what is wrong with a good one
};

class Provider final : private FetchSink {
 public:
  /// `source` has no fault (source.h).
  Provider(Surroundings surroundings, Source source, std::shared_ptr<Consumer> consumer);
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
  /// Ends a transfer; a job on the work thread goes on, and its outcome is dropped.
  ~Provider();

  /// Once. Returns at once.
  void start();
  /// A user wants it looked at now: joins a refresh that runs, else starts one, which goes by ETag
  /// and not by date.
  void refresh_now(std::weak_ptr<RefreshObserver> observer = {});

  [[nodiscard]] const Source& source() const noexcept { return source_; }
  [[nodiscard]] const ProviderStatus& status() const noexcept { return status_; }

 private:
  void fetched(const FetchProgress& progress) override;

  Task<void> live_http();
  Task<void> live_file();
  Task<void> live_inline();

  // http
  Task<void> load_copy();
  Task<RefreshResult> try_mirrors();
  Task<RefreshResult> take(std::string url, FetchOutcome outcome);
  Task<RefreshResult> store(Origin origin, std::string body);
  [[nodiscard]] FetchRequest request_for(const std::string& url) const;
  [[nodiscard]] Moment first_refresh() const;
  /// When the next one is due by itself.
  [[nodiscard]] Moment plan_next(const RefreshResult& result);
  void set_next(Moment next);

  void put_in_force(std::int64_t changed_ms, std::int64_t checked_ms);
  void settle();
  void begin_refresh();
  void end_refresh(const RefreshResult& result);
  void complain(std::string reason);
  [[nodiscard]] Millis interval() const noexcept {
    return source_.interval < kLeastInterval ? kLeastInterval : source_.interval;
  }
  [[nodiscard]] const char* name() const noexcept { return source_.name.c_str(); }

  Surroundings at_;
  const Source source_;
  const std::shared_ptr<Consumer> consumer_;
  const LocalCopy copy_;
  ProviderStatus status_;
  Origin origin_;              ///< http: of the content in force
  Place place_ = Place::copy;  ///< http: of the same
  Backoff backoff_;
  bool asked_ = false;    ///< for the refresh that runs, or the next one
  Millis retry_after_{};  ///< wish of a server that failed us
  Moment next_ = Moment::never();
  Moment told_{};  ///< last progress report
  Event wake_;
  std::vector<std::weak_ptr<RefreshObserver>> observers_;
  std::unique_ptr<FileWatch> watch_;
  TaskSet tasks_;  // last: its frames use what is above
};

}  // namespace sluice::provider
