#include "controlplane/manage/admit.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59  // Linux 4.13; absent from older libc headers
#endif

namespace sluice::manage {
namespace {

Result<std::vector<gid_t>> peer_groups(int socket) {
  // Most users have few groups; ERANGE tells the size that is needed (getsockopt writes it back).
  std::vector<gid_t> groups(32);
  for (int attempt = 0; attempt < 2; ++attempt) {
    socklen_t size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const int rc = ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size);
    const int sys = rc == 0 ? 0 : errno;
    groups.resize(size / sizeof(gid_t));
    if (rc == 0) return groups;
    if (sys == ENODATA || sys == ENOPROTOOPT) return std::vector<gid_t>();
    if (sys != ERANGE) return fail_errno(sys);
  }
  return fail(Errc::too_large);
}

}  // namespace

Result<Peer> read_peer(int socket) {
  const Result<PeerCredentials> credentials = peer_credentials(socket);
  if (!credentials) return fail(credentials.error());
  Result<std::vector<gid_t>> groups = peer_groups(socket);
  if (!groups) return fail(groups.error());
  return Peer{*credentials, std::move(*groups)};
}

bool admitted(const Peer& peer, const AdmitPolicy& policy) noexcept {
  if (peer.credentials.uid == 0 || peer.credentials.uid == policy.own) return true;
  if (!policy.group) return false;
  return peer.credentials.gid == *policy.group ||
         std::ranges::find(peer.groups, *policy.group) != peer.groups.end();
}

}  // namespace sluice::manage
