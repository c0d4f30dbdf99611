// cli/run_dir.h - which router is meant: the run directory and its socket (design section 1).
#pragma once

#include <sys/types.h>

#include <string>

namespace sluice::cli {

/// What decides about the default; taken from the process by Surroundings::of_process().
struct Surroundings {
  uid_t uid = 0;
  std::string own_dir;  ///< where a router that this user starts has its sockets
  static Surroundings of_process();
};

[[nodiscard]] std::string socket_of(const std::string& run_dir);

/// `asked` when not empty. Else root's is /run/sluice; a user's is the own one, or /run/sluice when
/// nothing listens in the own one but the system's router is there (members of the group).
[[nodiscard]] std::string find_run_dir(const std::string& asked, const Surroundings& around);

}  // namespace sluice::cli
