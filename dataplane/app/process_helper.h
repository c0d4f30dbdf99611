// app/process_helper.h - keeps sluice-proc running while a rule needs it, and carries questions.
//
//   worker: ask(inode) ── home ── ProcessClient ── sluice-proc
//   worker: answer     <── home <──────┘
//
// A helper that ends, or leaves a question unanswered for kHelperStalled, is started again, later
// each time it ends soon; meanwhile, and without root, questions are answered at once with nothing.
// Why is said once, not for each try.
//
// Owner: DataPlane. Thread: home; ask() any.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "dataplane/app/helper_pause.h"
#include "dataplane/app/open_questions.h"
#include "dataplane/flow/owners.h"
#include "dataplane/kernel/process_client.h"
#include "proto/runtime/loop/timer.h"

namespace sluice::app {

/// Starts a sluice-proc; blocks until it runs. Errors: as SpawnerHandle::spawn.
using StartProcess = std::function<Result<kernel::ProcHelper>()>;

class ProcessHelper final : public flow::ProcessSource, private kernel::ProcessSink, private Timer {
 public:
  /// `start` may be empty: without root there is no helper. `answer` hands one to a worker.
  ProcessHelper(Loop& home, StartProcess start,
                std::function<void(flow::ProcessAnswer, unsigned worker)> answer)
      : home_(home), start_(std::move(start)), answer_(std::move(answer)) {}

  /// Turned on, the helper starts at the end of this turn: whoever calls need not wait for it.
  /// Turned off, it ends.
  void want(bool on);
  void ask(flow::ProcessQuery query, unsigned worker) noexcept override;
  [[nodiscard]] bool running() const noexcept { return client_ != nullptr; }

 private:
  void process_answer(proc::Answer answer) noexcept override;
  void process_lost() noexcept override;
  void fire() noexcept override;
  void start();
  void look_for_stall() noexcept;
  void lose(const char* why) noexcept;
  void retry_later() noexcept;
  void say_once(const std::string& why);
  void put(const flow::ProcessQuery& query, unsigned worker) noexcept;
  void drop_questions() noexcept;

  Loop& home_;
  StartProcess start_;
  std::function<void(flow::ProcessAnswer, unsigned worker)> answer_;
  bool wanted_ = false;
  bool told_ = false;
  HelperPause pause_;
  std::unique_ptr<kernel::ProcessClient> client_;
  OpenQuestions open_;
};

}  // namespace sluice::app
