#include "proto/common/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace sluice {
namespace {

bool fill(sockaddr_un& out, const std::string& path) noexcept {
  if (path.empty() || path.size() >= sizeof out.sun_path) return false;
  out.sun_family = AF_UNIX;
  std::memcpy(out.sun_path, path.data(), path.size());
  return true;
}

}  // namespace

Result<UniqueFd> listen_unix(const std::string& path, mode_t mode, int backlog) {
  sockaddr_un address{};
  if (!fill(address, path)) return fail(Errc::too_large);
  // Only a socket that nobody serves is in the way; anything else is left for bind to refuse.
  struct stat file{};
  if (::lstat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode)) {
    const auto alive = connect_unix(path);
    if (alive) return fail(Errc::exists);
    if (alive.error().code == Errc::refused) ::unlink(path.c_str());
  }
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return fail_errno(errno);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return fail_errno(errno);
  // Until listen() nobody can connect, so the mode is right before it matters.
  if (::chmod(path.c_str(), mode) != 0 || ::listen(fd.get(), backlog) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return fail_errno(error);
  }
  return fd;
}

Result<UniqueFd> connect_unix(const std::string& path) {
  sockaddr_un address{};
  if (!fill(address, path)) return fail(Errc::too_large);
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return fail_errno(errno);
  // Non-blocking: a full backlog answers EAGAIN at once instead of holding the caller.
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return fail_errno(errno);
  return fd;
}

Result<UniqueFd> accept_unix(int listener) noexcept {
  const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return fail_errno(errno);
  return UniqueFd(fd);
}

Result<PeerCredentials> peer_credentials(int socket) noexcept {
  ucred raw{};
  socklen_t size = sizeof raw;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &raw, &size) != 0) return fail_errno(errno);
  return PeerCredentials{raw.pid, raw.uid, raw.gid};
}

}  // namespace sluice
