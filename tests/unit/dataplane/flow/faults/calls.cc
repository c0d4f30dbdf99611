#include <dlfcn.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <span>

#include "tests/unit/dataplane/flow/faults/plan.h"

namespace sluice::fault {
namespace {

constexpr std::size_t kMaxFd = 4096;
constexpr std::size_t kMaxParts = 64;

/// What a descriptor was registered with, so that an event can be raised again.
struct Registration {
  int epoll = -1;
  epoll_event event{};
};

Plan plan;
bool armed = false;
bool inside = false;
unsigned use_count = 0;
bool has_fired = false;
std::array<Registration, kMaxFd> registrations;

template <class F>
F* next_of(const char* name) noexcept {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

Registration* registration_of(int fd) noexcept {
  if (fd < 0 || static_cast<std::size_t>(fd) >= kMaxFd) return nullptr;
  Registration& found = registrations[static_cast<std::size_t>(fd)];
  return found.epoll >= 0 ? &found : nullptr;
}

int real_epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  static auto* const real = next_of<int(int, int, int, epoll_event*)>("epoll_ctl");
  return real(epoll, operation, fd, event);
}

/// The descriptor's readiness is reported once more, as a new edge.
void raise_edge(int fd) noexcept {
  Registration* known = registration_of(fd);
  if (known != nullptr) real_epoll_ctl(known->epoll, EPOLL_CTL_MOD, fd, &known->event);
}

/// Counts a use; true when the plan breaks this one.
bool breaks(Call call) noexcept {
  if (!armed || !inside || plan.call != call) return false;
  const unsigned use = use_count++;
  if (use < plan.nth || use - plan.nth >= plan.count) return false;
  has_fired = true;
  return true;
}

int refuse(int fd) noexcept {
  if (plan.error == EAGAIN) raise_edge(fd);
  errno = plan.error;
  return -1;
}

/// The first `limit` bytes of a vector.
std::span<iovec> first_bytes(std::span<const iovec> parts, std::size_t limit,
                             std::array<iovec, kMaxParts>& room) noexcept {
  std::size_t count = 0;
  for (; count < std::min(parts.size(), room.size()) && limit != 0; ++count) {
    room[count] = parts[count];
    room[count].iov_len = std::min(room[count].iov_len, limit);
    limit -= room[count].iov_len;
  }
  return std::span(room).first(count);
}

}  // namespace

const char* name_of(Call call) noexcept {
  static constexpr std::array kNames{
      "splice-in", "splice-out", "readv",      "sendmsg",   "accept4",  "connect",  "socket",
      "pipe2",     "pipe-size",  "pipe-pages", "epoll-add", "recvmmsg", "sendmmsg", "setsockopt"};
  return kNames.at(static_cast<std::size_t>(call));
}

std::string Plan::text() const {
  const std::string what =
      error != 0 ? std::strerror(error) : "at most " + std::to_string(limit) + " at a time";
  return std::string(name_of(call)) + " " + std::to_string(nth) + "+" + std::to_string(count) +
         ": " + what;
}

void arm(const Plan& next) noexcept {
  plan = next;
  use_count = 0;
  has_fired = false;
  armed = true;
}
void disarm() noexcept {
  armed = false;
}
bool fired() noexcept {
  return has_fired;
}
unsigned uses() noexcept {
  return use_count;
}
Inside::Inside() noexcept {
  inside = true;
}
Inside::~Inside() {
  inside = false;
}

}  // namespace sluice::fault

using namespace sluice::fault;

extern "C" {

ssize_t splice(int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags) {
  static auto* const real =
      next_of<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)>("splice");
  const bool in = registration_of(from) != nullptr;
  if (breaks(in ? Call::splice_in : Call::splice_out)) {
    if (plan.error != 0) return refuse(in ? from : to);
    size = std::min(size, plan.limit);
  }
  return real(from, from_at, to, to_at, size, flags);
}

ssize_t readv(int fd, const iovec* parts, int count) {
  static auto* const real = next_of<ssize_t(int, const iovec*, int)>("readv");
  if (!breaks(Call::readv)) return real(fd, parts, count);
  if (plan.error != 0) return refuse(fd);
  std::array<iovec, kMaxParts> room;
  const auto some = first_bytes({parts, static_cast<size_t>(count)}, plan.limit, room);
  const ssize_t n = real(fd, some.data(), static_cast<int>(some.size()));
  raise_edge(fd);
  return n;
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static auto* const real = next_of<ssize_t(int, const msghdr*, int)>("sendmsg");
  if (!breaks(Call::sendmsg)) return real(fd, message, flags);
  if (plan.error != 0) return refuse(fd);
  std::array<iovec, kMaxParts> room;
  const auto some = first_bytes({message->msg_iov, message->msg_iovlen}, plan.limit, room);
  msghdr less = *message;
  less.msg_iov = some.data();
  less.msg_iovlen = some.size();
  return real(fd, &less, flags);
}

int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  static auto* const real = next_of<int(int, sockaddr*, socklen_t*, int)>("accept4");
  return breaks(Call::accept4) ? refuse(fd) : real(fd, address, size, flags);
}

int connect(int fd, const sockaddr* address, socklen_t size) {
  static auto* const real = next_of<int(int, const sockaddr*, socklen_t)>("connect");
  if (!breaks(Call::connect)) return real(fd, address, size);
  // One that a signal interrupts goes on by itself.
  if (plan.error == EINTR) (void)real(fd, address, size);
  return refuse(fd);
}

int socket(int domain, int type, int protocol) noexcept {
  static auto* const real = next_of<int(int, int, int)>("socket");
  return breaks(Call::socket) ? refuse(-1) : real(domain, type, protocol);
}

int pipe2(int* ends, int flags) noexcept {
  static auto* const real = next_of<int(int*, int)>("pipe2");
  return breaks(Call::pipe2) ? refuse(-1) : real(ends, flags);
}

int fcntl(int fd, int command, ...) {
  static auto* const real = next_of<int(int, int, ...)>("fcntl");
  va_list rest;
  va_start(rest, command);
  void* const value = va_arg(rest, void*);
  va_end(rest);
  if (command == F_SETPIPE_SZ) {
    if (breaks(Call::pipe_size)) return refuse(fd);
    if (breaks(Call::pipe_pages)) {
      real(fd, F_SETPIPE_SZ, static_cast<int>(2 * ::sysconf(_SC_PAGESIZE)));
      return refuse(fd);
    }
  }
  return real(fd, command, value);
}

int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  if (operation == EPOLL_CTL_ADD && breaks(Call::epoll_add)) return refuse(fd);
  const int done = real_epoll_ctl(epoll, operation, fd, event);
  if (done == 0 && fd >= 0 && static_cast<std::size_t>(fd) < kMaxFd) {
    Registration& here = registrations[static_cast<std::size_t>(fd)];
    if (operation == EPOLL_CTL_ADD) here = {epoll, *event};
    if (operation == EPOLL_CTL_DEL) here = {};
  }
  return done;
}

int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* patience) {
  static auto* const real = next_of<int(int, mmsghdr*, unsigned, int, timespec*)>("recvmmsg");
  if (breaks(Call::recvmmsg)) {
    if (plan.error != 0) return refuse(fd);
    count = std::min(count, static_cast<unsigned>(plan.limit));
  }
  return real(fd, messages, count, flags, patience);
}

int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  static auto* const real = next_of<int(int, mmsghdr*, unsigned, int)>("sendmmsg");
  if (breaks(Call::sendmmsg)) {
    if (plan.error != 0) return refuse(fd);
    count = std::min(count, static_cast<unsigned>(plan.limit));
  }
  return real(fd, messages, count, flags);
}

int setsockopt(int fd, int level, int name, const void* value, socklen_t size) noexcept {
  static auto* const real = next_of<int(int, int, int, const void*, socklen_t)>("setsockopt");
  return breaks(Call::setsockopt) ? refuse(fd) : real(fd, level, name, value, size);
}

}  // extern "C"
