// supervisor/layout.h - the directories of a run, their owners and modes, and the locks on them.
//
//                         as root                        else
//   run directory         root:root            0755      own uid, 0700
//   run directory/dp      sluice-dp:sluice     02750     own uid, 0700
//   run directory/cp      sluice:sluice        02750     own uid, 0700
//   home                  sluice:sluice        0750      own uid, 0700
//
// dp/ is setgid so that the sockets in it get the group that lets the control plane reach them; who
// may then speak is decided by SO_PEERCRED. Thread: main, at start.
#pragma once

#include <sys/types.h>

#include <string>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/process/users.h"
#include "ui/supervisor/options.h"

namespace sluice::supervisor {

/// Who runs what. Not as root all three are the caller.
struct Identities {
  bool root = false;
  UserIds control;
  UserIds data;
};

/// Finds the users, creating missing ones as root. Errors: as ensure_users().
[[nodiscard]] Result<Identities> find_identities(uid_t uid, gid_t gid);

/// Makes the directories that are missing and sets owners and modes of ours.
/// Errors: system, denied (a later user could not reach one of them); `why` names the path.
[[nodiscard]] Status make_layout(const Options& options, const Identities& who, std::string& why);

/// Both locks; held as long as this object lives, and by nobody else (close-on-exec).
struct Locks {
  UniqueFd run_dir;
  UniqueFd home;
};
/// Errors: exists (another supervisor holds one; `why` says which, and its pid), system.
[[nodiscard]] Result<Locks> take_locks(const Options& options, std::string& why);

/// True when a process of this user can search every directory above `path` by mode bits.
[[nodiscard]] bool is_reachable(const std::string& path, const UserIds& user);

}  // namespace sluice::supervisor
