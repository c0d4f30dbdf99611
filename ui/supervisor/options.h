// supervisor/options.h - the command line.
//
//   sluice-supervisor -f FILE [--home DIR] [--run-dir DIR]
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "proto/common/result.h"

namespace sluice::supervisor {

struct Options {
  std::string config;   ///< absolute, symbolic links resolved: `config apply` replaces the target
  std::string home;     ///< absolute
  std::string run_dir;  ///< absolute
};

inline constexpr char kUsage[] = "usage: sluice-supervisor -f FILE [--home DIR] [--run-dir DIR]";

/// `words` without the program's name. Paths become absolute; defaults depend on `uid`.
/// Errors: invalid (usage); not_found (no such configuration file); `why` says what is wrong.
[[nodiscard]] Result<Options> parse_options(std::span<char* const> words, uid_t uid,
                                            std::string& why);

}  // namespace sluice::supervisor
