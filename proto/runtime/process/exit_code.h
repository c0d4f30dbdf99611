// process/exit_code.h - what our programs' exit codes tell the supervisor and the shell.
#pragma once

namespace sluice {

enum class ExitCode : int {
  ok = 0,
  failure = 1,          ///< may work next time: the supervisor restarts
  usage = 2,            ///< the command line makes no sense
  already_running = 3,  ///< another one holds the same home or run directory
  bad_config = 4,       ///< the configuration cannot be used here; nothing helps but an edit
  missing_feature = 5,  ///< kernel, module or privilege absent; nothing helps but the admin
};

[[nodiscard]] constexpr int to_int(ExitCode code) noexcept {
  return static_cast<int>(code);
}

/// True for codes that a restart cannot cure.
[[nodiscard]] constexpr bool is_permanent(int code) noexcept {
  return code >= to_int(ExitCode::usage) && code <= to_int(ExitCode::missing_feature);
}

}  // namespace sluice
