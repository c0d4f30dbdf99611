#include "proto/runtime/process/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace sluice {

namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(int) * kMaxMessageFds);

/// Takes every descriptor of the message into owners, those beyond our array included.
/// Returns false when there were more than fit.
bool take_descriptors(msghdr& header, ReceivedMessage& out) {
  bool fits = (header.msg_flags & MSG_CTRUNC) == 0;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      UniqueFd owned(fd);
      if (out.fd_count == out.fds.size()) {
        fits = false;
      } else {
        out.fds[out.fd_count++] = std::move(owned);
      }
    }
  }
  return fits;
}

Error transfer_error(int error) noexcept {
  if (error == EPIPE || error == ECONNRESET || error == ENOTCONN)
    return Error{Errc::closed, Side::us, 0, error};
  if (error == EAGAIN || error == EWOULDBLOCK) return Error{Errc::no_room, Side::us, 0, error};
  return error_from_errno(error);
}

/// The numbers in /proc/self/fd, for kernels without close_range(2).
std::vector<int> open_descriptors() {
  std::vector<int> found;
  DIR* directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return found;
  while (const dirent* entry = ::readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    if (fd > STDERR_FILENO && fd != ::dirfd(directory)) found.push_back(fd);
  }
  ::closedir(directory);
  return found;
}

bool close_between(unsigned first, unsigned last) noexcept {
#ifdef SYS_close_range
  return first > last || ::syscall(SYS_close_range, first, last, 0U) == 0;
#else
  return false;
#endif
}

}  // namespace

Result<SocketPair> make_socket_pair(int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) return fail_errno(errno);
  return SocketPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Status send_message(int socket, ByteView bytes, std::span<const int> fds) {
  if (fds.size() > kMaxMessageFds) return fail(Errc::invalid);
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
  }
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return fail(transfer_error(errno));
  return {};
}

Result<ReceivedMessage> receive_message(int socket, ByteSpan room) {
  ReceivedMessage out;
  iovec part{room.data(), room.size()};
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail(transfer_error(errno));
  const bool fits = take_descriptors(header, out);
  if (!fits || (header.msg_flags & MSG_TRUNC) != 0) return fail(Errc::too_large);
  out.size = static_cast<std::size_t>(got);
  return out;
}

Status wait_readable(int socket, int timeout_ms) {
  pollfd wanted{socket, POLLIN, 0};
  int ready = -1;
  do {
    ready = ::poll(&wanted, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) return fail_errno(errno);
  if (ready == 0) return fail(Errc::timeout);
  return {};
}

Result<UniqueFd> duplicate(int fd) noexcept {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!copy.valid()) return fail_errno(errno);
  return copy;
}

Status set_close_on_exec(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFD);
  if (flags < 0) return fail_errno(errno);
  if (::fcntl(fd, F_SETFD, on ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC) < 0)
    return fail_errno(errno);
  return {};
}

void close_descriptors_except(std::span<const int> keep) noexcept {
  std::vector<int> kept(keep.begin(), keep.end());
  std::ranges::sort(kept);
  unsigned next = STDERR_FILENO + 1;
  bool closed = true;
  for (const int fd : kept) {
    if (fd <= STDERR_FILENO) continue;
    const auto number = static_cast<unsigned>(fd);
    if (number > next) closed = close_between(next, number - 1) && closed;
    next = number + 1;
  }
  if (close_between(next, ~0U) && closed) return;
  for (const int fd : open_descriptors()) {
    if (!std::ranges::binary_search(kept, fd)) ::close(fd);
  }
}

int execute_descriptor(int program_fd, char* const argv[], char* const environment[]) noexcept {
  ::syscall(SYS_execveat, program_fd, "", argv, environment, AT_EMPTY_PATH);
  return errno;
}

}  // namespace sluice
