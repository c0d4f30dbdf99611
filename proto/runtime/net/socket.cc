#include "proto/runtime/net/socket.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace sluice {
namespace {

/// The call, again while a signal interrupts it.
template <class Call>
ssize_t uninterrupted(Call&& call) noexcept {
  ssize_t n = call();
  while (n < 0 && errno == EINTR) n = call();
  return n;
}

Result<std::size_t> after_read(Watch& watch, ssize_t n, std::size_t wanted) noexcept {
  if (n > 0) {
    // A stream that gave less than asked is drained; what arrives later is a new edge. Not so once
    // the peer has ended: that edge has been and the end is still to be read. Nor at an urgent
    // mark.
    const bool drained = static_cast<std::size_t>(n) < wanted;
    if (drained && !watch.hung_up() && !watch.urgent()) watch.clear_readable();
    return static_cast<std::size_t>(n);
  }
  if (n == 0) return fail(Errc::closed);
  if (errno == EAGAIN) watch.clear_readable();
  Error error = error_from_errno(errno);
  // A reset that came behind the peer's FIN reads as EPIPE: what was to follow is cut off.
  if (error.code == Errc::closed) error.code = Errc::reset;
  return fail(error);
}

Result<std::size_t> after_write(Watch& watch, ssize_t n) noexcept {
  if (n >= 0) return static_cast<std::size_t>(n);
  if (errno == EAGAIN) watch.clear_writable();
  return fail_errno(errno);
}

}  // namespace

Result<Socket> Socket::adopt(Loop& loop, UniqueFd fd, Interest interest) {
  auto watch = Watch::make(loop, std::move(fd), interest);
  if (!watch) return fail(watch.error());
  return Socket(std::move(*watch));
}

Result<std::size_t> Socket::read(ByteSpan into) noexcept {
  const ssize_t n = uninterrupted([&] { return ::recv(fd(), into.data(), into.size(), 0); });
  return after_read(*watch_, n, into.size());
}
Result<std::size_t> Socket::readv(const iovec* parts, std::size_t count) noexcept {
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < count; ++i) wanted += parts[i].iov_len;
  const ssize_t n = uninterrupted([&] { return ::readv(fd(), parts, static_cast<int>(count)); });
  return after_read(*watch_, n, wanted);
}
Result<std::size_t> Socket::write(ByteView from) noexcept {
  return after_write(
      *watch_, uninterrupted([&] { return ::send(fd(), from.data(), from.size(), MSG_NOSIGNAL); }));
}
Result<std::size_t> Socket::writev(const iovec* parts, std::size_t count) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = count;
  return after_write(*watch_,
                     uninterrupted([&] { return ::sendmsg(fd(), &message, MSG_NOSIGNAL); }));
}

void Socket::shut_write() noexcept {
  ::shutdown(fd(), SHUT_WR);
}

void Socket::reset_on_close() noexcept {
  const linger off{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd(), SOL_SOCKET, SO_LINGER, &off, sizeof off);
}

Status Socket::pending_error() noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return fail_errno(errno);
  if (error != 0) return fail_errno(error);
  return {};
}

Endpoint Socket::local() const noexcept {
  return local_endpoint(fd());
}
Endpoint Socket::remote() const noexcept {
  return remote_endpoint(fd());
}

Endpoint local_endpoint(int fd) noexcept {
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&raw), &size) != 0) return {};
  return Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&raw));
}

Endpoint remote_endpoint(int fd) noexcept {
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&raw), &size) != 0) return {};
  return Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&raw));
}

}  // namespace sluice
