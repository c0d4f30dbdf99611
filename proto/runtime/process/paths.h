// process/paths.h - names that more than one program must agree on: places, sockets, options.
//
//   run directory (0755)          home (owner: control-plane user)
//     sluice.lock                   sluice.lock
//     dp/  contract.sock dial.sock  state.db stats.db ...
//     cp/  manage.sock
//
// Owners and modes: docs of the supervisor (`layout.h`). Thread: constants and pure functions.
#pragma once

#include <sys/types.h>

#include <string>

namespace sluice {

inline constexpr char kControlUser[] = "sluice";  ///< also the group that may use manage.sock
inline constexpr char kDataUser[] = "sluice-dp";

inline constexpr char kDataDirectory[] = "dp";
inline constexpr char kControlDirectory[] = "cp";
inline constexpr char kContractSocket[] = "contract.sock";  ///< in dp/: gRPC, control plane only
inline constexpr char kDialSocket[] = "dial.sock";          ///< in dp/: SOCKS5, control plane only
inline constexpr char kManageSocket[] = "manage.sock";      ///< in cp/: the user's API
inline constexpr char kLockFile[] = "sluice.lock";          ///< in run directory and home

inline constexpr char kDataPlaneProgram[] = "sluice-dataplane";
inline constexpr char kControlPlaneProgram[] = "sluice-controlplane";
inline constexpr char kNftProgram[] = "sluice-nft";
inline constexpr char kProcProgram[] = "sluice-proc";

// Options of both planes, with the leading dashes; a value follows as the next argument.
//   sluice-dataplane    --run-dir DIR/dp --control-uid UID --control-gid GID [--user NAME]
//                       [--helper-dir DIR] [--supervisor-fd N]
//   sluice-controlplane --config PATH --home DIR --run-dir DIR [--user NAME] [--supervisor-fd N]
//                       [--restarted]
//   sluice-controlplane --check NAME --home DIR [--user NAME] < TEXT
inline constexpr char kOptionConfig[] = "--config";
inline constexpr char kOptionHome[] = "--home";
inline constexpr char kOptionRunDirectory[] = "--run-dir";
inline constexpr char kOptionUser[] = "--user";  ///< become this user; only when started as root
inline constexpr char kOptionControlUid[] = "--control-uid";
inline constexpr char kOptionControlGid[] = "--control-gid";
inline constexpr char kOptionHelperDirectory[] = "--helper-dir";
/// A SOCK_SEQPACKET descriptor to the supervisor (see supervisor_link.h). End of file on it means
/// that the supervisor is gone: the plane drains and exits.
inline constexpr char kOptionSupervisorFd[] = "--supervisor-fd";
/// No value. Not the first start under this supervisor: the other plane may be at work.
inline constexpr char kOptionRestarted[] = "--restarted";

/// Judges the text on standard input, a configuration called NAME, as if it were to come into force
/// with that home directory, and ends. Standard output: a ConfigCheckReply of management.proto.
inline constexpr char kOptionCheck[] = "--check";

/// /run/sluice for uid 0, else $XDG_RUNTIME_DIR/sluice, else <default_home>/run.
[[nodiscard]] std::string default_run_directory(uid_t uid);
/// /var/lib/sluice for uid 0, else $XDG_STATE_HOME/sluice, else $HOME/.local/state/sluice.
[[nodiscard]] std::string default_home(uid_t uid);

}  // namespace sluice
