// kernel/process_client.h - one running sluice-proc, asked without waiting.
//
// Answers come by callback in the loop. A question that is never answered is its asker's business:
// every one has a deadline there.
//
// Owner: whoever starts the helper. Thread: its loop's.
#pragma once

#include <memory>

#include "dataplane/helper/process_commands.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::kernel {

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
  /// `socket` is the SOCK_SEQPACKET end that the spawner gave. Errors: system.
  [[nodiscard]] static Result<std::unique_ptr<ProcessClient>> make(Loop& loop, UniqueFd socket,
                                                                   ProcessSink& sink);

  /// Errors: no_room (too many questions wait: this one was not asked), closed.
  [[nodiscard]] Status ask(const proc::Question& question) noexcept;

 private:
  ProcessClient(std::unique_ptr<Watch> watch, ProcessSink& sink) noexcept
      : watch_(std::move(watch)), sink_(sink) {}
  void on_ready() noexcept override;

  std::unique_ptr<Watch> watch_;
  ProcessSink& sink_;
};

}  // namespace sluice::kernel
