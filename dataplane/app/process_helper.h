// app/process_helper.h - keeps sluice-proc running while a rule needs it, and carries questions.
//
//   worker: ask(inode) ── home ── ProcessClient ── sluice-proc
//   worker: answer     <── home <──────┘
//
// The helper that dies is started again, later each time it dies soon; meanwhile, and without root,
// questions are answered at once with nothing. Why is said once, not for each try.
//
// Owner: DataPlane. Thread: home; ask() any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "dataplane/flow/owners.h"
#include "dataplane/helper/spawner.h"
#include "dataplane/kernel/process_client.h"
#include "proto/runtime/loop/timer.h"

namespace sluice::app {

/// Starts a sluice-proc and gives its socket. Errors: as SpawnerHandle::spawn.
using StartProcess = std::function<Result<UniqueFd>()>;

class ProcessHelper final : public flow::ProcessSource, private kernel::ProcessSink, private Timer {
 public:
  /// `start` may be empty: without root there is no helper. `answer` hands one to a worker.
  ProcessHelper(Loop& home, StartProcess start,
                std::function<void(flow::ProcessAnswer, unsigned worker)> answer)
      : home_(home), start_(std::move(start)), answer_(std::move(answer)) {}

  /// Turned off, the helper ends.
  void want(bool on);
  void ask(flow::ProcessQuery query, unsigned worker) noexcept override;
  [[nodiscard]] bool running() const noexcept { return client_ != nullptr; }

 private:
  struct Asked {
    std::uint64_t id = 0;
    unsigned worker = 0;
  };

  static constexpr Millis kFirstPause{250};
  static constexpr Millis kLongestPause{60'000};
  /// A helper that lived this long was well: the next pause is the first one again.
  static constexpr Millis kWell{60'000};
  /// Questions that wait at the same time; more are answered with nothing.
  static constexpr std::size_t kMaxOpen = 1024;

  void process_answer(proc::Answer answer) noexcept override;
  void process_lost() noexcept override;
  void fire() noexcept override { start(); }
  void start();
  void retry_later();
  void say_once(const std::string& why);
  void put(const flow::ProcessQuery& query, unsigned worker) noexcept;
  void drop_questions() noexcept;

  Loop& home_;
  StartProcess start_;
  std::function<void(flow::ProcessAnswer, unsigned worker)> answer_;
  bool wanted_ = false;
  bool told_ = false;
  Millis pause_ = kFirstPause;
  Moment started_{};
  std::unique_ptr<kernel::ProcessClient> client_;
  std::uint32_t last_id_ = 0;
  std::unordered_map<std::uint32_t, Asked> open_;
};

}  // namespace sluice::app
