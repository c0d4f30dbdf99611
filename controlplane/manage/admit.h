// manage/admit.h - who may talk to manage.sock.
//
//   root ............................. yes
//   the control plane's own user ..... yes
//   members of the group, as primary or supplementary group of the connecting process
//                                      (SO_PEERCRED, SO_PEERGROUPS) ... yes, where there is a group
//   everybody else ................... no; closed before gRPC reads a byte
//
// The kernel noted the credentials at connect(2), so a process that drops or gains groups later
// changes nothing. Pure but for read_peer().
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "proto/common/result.h"
#include "proto/common/unix_socket.h"

namespace sluice::manage {

struct Peer {
  PeerCredentials credentials;
  std::vector<gid_t> groups;  ///< supplementary
};

struct AdmitPolicy {
  uid_t own = 0;
  std::optional<gid_t> group;  ///< none: root and `own` only
};

/// Errors: system.
[[nodiscard]] Result<Peer> read_peer(int socket);

[[nodiscard]] bool admitted(const Peer& peer, const AdmitPolicy& policy) noexcept;

}  // namespace sluice::manage
