// kernel/process_client.h - one running sluice-proc, asked without waiting.
//
// Answers come by callback in the loop. Questions that are never answered are the asker's business:
// it knows how long it waits, and kills a helper that is stalled.
//
// Owner: whoever starts the helper. Thread: its loop's.
#pragma once

#include <sys/types.h>

#include <memory>

#include "dataplane/helper/process_commands.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::kernel {

/// A fresh sluice-proc as the spawner gave it.
struct ProcHelper {
  UniqueFd socket;  ///< SOCK_SEQPACKET
  pid_t pid = -1;   ///< -1: not a process of its own
};

/// Gets what a ProcessClient hears.
class ProcessSink {
 public:
  virtual void process_answer(proc::Answer answer) noexcept = 0;
  /// The helper ended or spoke nonsense; no further call follows. May destroy the client.
  virtual void process_lost() noexcept = 0;

 protected:
  ~ProcessSink() = default;
};

class ProcessClient final : private WatchSink {
 public:
  /// Errors: system.
  [[nodiscard]] static Result<std::unique_ptr<ProcessClient>> make(Loop& loop, ProcHelper helper,
                                                                   ProcessSink& sink);

  /// Errors: no_room (too many questions wait: this one was not asked), closed.
  [[nodiscard]] Status ask(const proc::Question& question) noexcept;

  /// Takes what the helper has said by now. The loop does so, too, each time there is something.
  void read() noexcept;

  /// For one that does not answer (kill_helper.h).
  void kill() noexcept;

 private:
  ProcessClient(std::unique_ptr<Watch> watch, pid_t pid, ProcessSink& sink) noexcept
      : watch_(std::move(watch)), pid_(pid), sink_(sink) {}
  void on_ready() noexcept override { read(); }

  std::unique_ptr<Watch> watch_;
  pid_t pid_;
  ProcessSink& sink_;
};

}  // namespace sluice::kernel
