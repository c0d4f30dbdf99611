// helper/process_finder.h - from a socket's inode to the process that holds it, through /proc.
//
//   /proc/PID/fd/N -> "socket:[48213]"        /proc/PID/exe -> "/usr/bin/curl"
//
// The kernel has no index for this: every descriptor of every process may have to be read, about a
// microsecond each. So one walk answers all questions at hand, begins with the processes that were
// found of late, goes on from the highest pid (a client is mostly younger than the daemons), and
// stops at a deadline.
//
// Needs CAP_SYS_PTRACE (to read the links of others) and CAP_DAC_READ_SEARCH (their fd folders
// are closed to all but their user). Thread: one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice::proc {

struct Wanted {
  std::uint32_t inode = 0;
  pid_t pid = 0;  ///< 0: not found (yet)
};

class ProcessFinder {
 public:
  /// Errors: system (no /proc).
  [[nodiscard]] static Result<ProcessFinder> open();

  /// Fills in the pids. True when the walk came to its end; false when the deadline ended it.
  bool find(std::span<Wanted> wanted, Moment deadline);
  /// The program's path, also of one that was replaced or deleted since.
  /// Errors: not_found (it ended, or is a kernel thread), too_large, system.
  [[nodiscard]] Result<std::string> executable(pid_t pid) const;

 private:
  explicit ProcessFinder(UniqueFd root) noexcept : root_(std::move(root)) {}
  [[nodiscard]] std::vector<pid_t> candidates() const;
  bool walk(pid_t pid, std::span<Wanted> wanted, Moment deadline);
  void remember(pid_t pid);

  UniqueFd root_;              // /proc
  std::vector<pid_t> lately_;  // found of late, newest first
};

}  // namespace sluice::proc
