// common/unix_socket.h - Unix stream sockets whose peers are checked before a byte is read.
//
// gRPC neither checks peers nor sets modes, so every socket of ours is bound, opened to others and
// accepted here; the caller decides by credentials() and then hands the descriptor on.
#pragma once

#include <sys/types.h>

#include <string>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice {

/// Who is at the other end (SO_PEERCRED): of a listener's connection, the connecting process; seen
/// from the connecting side, the process that called listen().
struct PeerCredentials {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// A bound and listening socket, non-blocking. A dead socket file in the way is removed; `mode` is
/// set whatever the umask is.
/// Errors: exists (somebody listens there), too_large (path over 107 bytes), system.
[[nodiscard]] Result<UniqueFd> listen_unix(const std::string& path, mode_t mode, int backlog = 64);

/// Connected, then non-blocking. Errors: not_found, refused (nobody listens), too_large, system.
[[nodiscard]] Result<UniqueFd> connect_unix(const std::string& path);

/// The next waiting connection, non-blocking. Errors: again (none waits), no_descriptors, system.
[[nodiscard]] Result<UniqueFd> accept_unix(int listener) noexcept;

[[nodiscard]] Result<PeerCredentials> peer_credentials(int socket) noexcept;

}  // namespace sluice
