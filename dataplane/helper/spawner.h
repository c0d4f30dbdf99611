// helper/spawner.h - starts helpers for a data plane that may itself start nothing.
//
//   data plane (root, one thread)                 spawner (forked; data plane's user, helper caps,
//     start_spawner() --fork-->                     filter that allows execveat)
//     drop privileges, filter                       waits for requests
//     spawn(kind)      --kind(1) id(4)-->           socketpair, fork, execveat in the child
//                      <--id(4) errno(4) pid(4) + socket-
//
// A reply that comes after its request timed out is told by its id and dropped; closing its socket
// ends the helper that nobody waits for.
//
// The helper's program is opened before privileges drop, so its directory need not be reachable.
// A helper gets its own capabilities, bounding set included, and `--fd 3`; its death is end of file
// on the socket that spawn() gave. The spawner ends at end of file on its own socket, so it never
// outlives the data plane; helpers end likewise.
//
// Thread: start_spawner before any other thread exists; spawn from one thread at a time. It blocks
// until the program runs (a few milliseconds) or the deadline.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/process/privileges.h"

namespace sluice {

enum class HelperKind : std::uint8_t { nft = 1, proc = 2 };

/// Programs by descriptor (O_PATH | O_CLOEXEC).
struct HelperBinaries {
  UniqueFd nft;
  UniqueFd proc;  ///< may be absent: then it does not start
};

/// Opens the helpers' programs in `directory`. Errors: not_found (sluice-nft), system.
[[nodiscard]] Result<HelperBinaries> open_helpers(const char* directory);

struct HelperProcess {
  UniqueFd socket;  ///< SOCK_SEQPACKET to the helper; closing it ends the helper
  pid_t pid = -1;   ///< for log lines; the spawner reaps
};

/// The data plane's end.
class SpawnerHandle {
 public:
  SpawnerHandle(UniqueFd socket, pid_t pid) noexcept : socket_(std::move(socket)), pid_(pid) {}

  /// Errors: closed (the spawner is gone: end too and be restarted), timeout, malformed, or the
  /// errno of fork or execveat.
  [[nodiscard]] Result<HelperProcess> spawn(HelperKind kind, Millis timeout);

  /// For the loop: readable outside spawn() means that the spawner is gone.
  [[nodiscard]] int fd() const noexcept { return socket_.get(); }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  Result<HelperProcess> await(std::uint32_t id, Moment deadline);

  UniqueFd socket_;
  pid_t pid_;
  std::uint32_t last_id_ = 0;
};

/// Forks the spawner, which becomes `uid`/`gid` with the union of its helpers' capabilities and
/// CAP_SETPCAP, so that each helper can be started with its own alone (as far as this root has
/// them; docs/decisions/one-spawner.md).
/// Not as root, helpers could do nothing: do not call it then. Errors: system.
[[nodiscard]] Result<SpawnerHandle> start_spawner(HelperBinaries binaries, uid_t uid, gid_t gid);

}  // namespace sluice
