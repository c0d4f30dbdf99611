// process/syscall_filter.h - one system-call filter per program, in three tiers.
//
//   what the program needs                      allowed
//   what only an intruder would call            the process is killed (SIGSYS)
//   everything else, such as tomorrow's calls   fails with ENOSYS, so a newer C library falls back
//
// Why three: docs/decisions/seccomp-tiers.md. Linked with libseccomp, in a library of its own.
#pragma once

#include <cstdint>

#include "proto/common/result.h"

namespace sluice {

enum class SeccompProfile : std::uint8_t {
  dataplane,     ///< sockets, splice, files; threads, no processes
  controlplane,  ///< sockets, files; threads, no processes
  spawner,       ///< forks and starts programs by execveat only; a superset of every helper's
  nft_helper,    ///< one socketpair, one netlink socket that is open already
  proc_helper,   ///< one socketpair; lists folders and reads links, opens no file
};

/// Irreversible, for all threads of the process. Needs no_new_privs (drop_privileges sets it).
/// Errors: system; not_built when the kernel has no seccomp.
[[nodiscard]] Status apply_seccomp(SeccompProfile profile);

}  // namespace sluice
