// common/log_writer.h - standard error behind a thread, for a process whose threads must not wait.
//
//   SLUICE_LOG on any thread --copy--> ring, kLogRingBytes --swap--> writer thread --> write(2)
//
// Whoever reads standard error may stop reading: then the writer waits, lines fill the ring, and
// what finds no room is counted and told by one line ("3 log lines dropped") once there is room. A
// process without a writer (helpers, forked children, everybody before start) writes directly.
//
// Owner: main() or what it runs, one per process, started after signals are blocked. Destruction
// hands out what is left, for at most kLogFlush, and lines are direct again.
#pragma once

#include <cstddef>
#include <memory>

#include "proto/common/clock.h"

namespace sluice {

/// Some five hundred usual lines; pages that are never touched cost nothing.
inline constexpr std::size_t kLogRingBytes = std::size_t{64} << 10U;
/// How long an end waits for a reader that does not read.
inline constexpr Millis kLogFlush{1'000};

class LogRing;

class LogWriter {
 public:
  /// Lines go to `fd`, which stays the caller's and open, from now on. Where the system lets no
  /// thread start they stay direct.
  explicit LogWriter(int fd);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  ~LogWriter();

 private:
  std::shared_ptr<LogRing>
      ring_;  ///< also the thread's: it may outlive us inside write(2); or none
};

}  // namespace sluice
