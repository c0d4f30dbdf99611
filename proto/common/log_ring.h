// common/log_ring.h - log lines on their way from any thread to the one that writes them.
//
// Two blocks of kLogRingBytes: one is filled under the lock, the other is being written; they swap.
// The lock is held for a copy or a swap, never while writing.
//
// Thread: any, except run() (the writer's).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "proto/common/log_writer.h"

namespace sluice {

class LogRing {
 public:
  LogRing();

  /// Copies `line`, which ends with a newline, or counts it when there is no room. False once
  /// closed: nobody writes it any more.
  [[nodiscard]] bool append(std::string_view line) noexcept;

  /// Writes lines to `fd` until closed and empty.
  void run(int fd) noexcept;

  /// No line comes any more. Waits at most `span` until all are written.
  void close(Millis span) noexcept;

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  std::mutex mutex_;  // guards what follows
  std::condition_variable filled_;
  std::condition_variable done_;
  Block filling_;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
  bool ended_ = false;
};

}  // namespace sluice
