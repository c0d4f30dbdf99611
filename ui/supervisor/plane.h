// supervisor/plane.h - one supervised plane: its program, its process while it runs, its restarts.
//
// Thread: main. The owner reaps and tells died().
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/process/privileges.h"
#include "ui/supervisor/backoff.h"

namespace sluice::supervisor {

/// How to start a plane. The option --supervisor-fd is added.
struct PlaneSpec {
  std::string name;                    ///< program's name, for argv and log lines
  std::vector<std::string> arguments;  ///< behind the name
  std::vector<std::string> again;      ///< behind these, from the second start on
  bool drop = false;                   ///< become `privileges` before the program starts
  PrivilegePlan privileges;
};

class Plane {
 public:
  Plane(PlaneSpec spec, UniqueFd program) noexcept
      : spec_(std::move(spec)), program_(std::move(program)) {}

  /// Errors: no_descriptors, system.
  [[nodiscard]] Status start(Moment now);
  /// The process is gone. True when a restart cannot help: it failed for a lasting reason before it
  /// ever worked; exit_code() then says which.
  [[nodiscard]] bool died(int wait_status, Moment now);

  void signal(int number) const noexcept;
  [[nodiscard]] bool running() const noexcept { return pid_ > 0; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] Moment next_start() const noexcept { return next_start_; }
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
  /// The last one ended by a signal: it had no time to clean up behind itself.
  [[nodiscard]] bool killed() const noexcept { return killed_; }
  /// Our end of --supervisor-fd; -1 while not running or closed.
  [[nodiscard]] int link() const noexcept { return link_.get(); }
  void close_link() noexcept { link_.reset(); }
  [[nodiscard]] const std::string& name() const noexcept { return spec_.name; }

 private:
  [[noreturn]] void become_program(int link) const;

  PlaneSpec spec_;
  UniqueFd program_;
  UniqueFd link_;
  Backoff backoff_;
  Moment started_{};
  Moment next_start_{};
  pid_t pid_ = -1;
  int exit_code_ = 0;
  bool started_before_ = false;
  bool worked_ = false;  // lived long enough once
  bool killed_ = false;
};

}  // namespace sluice::supervisor
