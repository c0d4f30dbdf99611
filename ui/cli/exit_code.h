// cli/exit_code.h - what the command's exit status means; help and man page print this table.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "proto/runtime/process/exit_code.h"

namespace sluice::cli {

enum class ExitCode : int {
  ok = 0,
  refused = 1,
  usage = 2,
  no_router = 3,
  not_found = 4,
  unavailable = 5,
};

struct ExitMeaning {
  ExitCode code;
  std::string_view text;
};

inline constexpr std::array<ExitMeaning, 6> kExitMeanings{{
    {ExitCode::ok, "done; warnings alone do not change that"},
    {ExitCode::refused,
     "refused: an invalid configuration, a request that the router declines, a rule provider that "
     "could not be updated"},
    {ExitCode::usage, "the command line is wrong, or a file named on it cannot be read"},
    {ExitCode::no_router, "no router runs there, or this user may not talk to it"},
    {ExitCode::not_found, "no such group, member, flow, line, provider or earlier configuration"},
    {ExitCode::unavailable, "the router cannot do it now (data plane away, no answer in time)"},
}};

/// `sluice run` becomes the supervisor and ends with that one's codes.
struct RunExitMeaning {
  sluice::ExitCode code;
  std::string_view text;
};

inline constexpr std::array<RunExitMeaning, 6> kRunExitMeanings{{
    {sluice::ExitCode::ok, "stopped as asked"},
    {sluice::ExitCode::failure, "failed; the next start may work"},
    {sluice::ExitCode::usage, "the command line is wrong"},
    {sluice::ExitCode::already_running, "another router uses the same home or run directory"},
    {sluice::ExitCode::bad_config,
     "the configuration is missing, cannot be read or used; why is in the log"},
    {sluice::ExitCode::missing_feature, "the kernel, a module of it or a privilege is missing"},
}};

/// Why a command ends otherwise than well: a sentence that names the fix.
struct Failure {
  ExitCode code = ExitCode::refused;
  std::string text;
};

}  // namespace sluice::cli
