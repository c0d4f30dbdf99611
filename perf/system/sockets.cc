#include "perf/system/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace perf {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

void die(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int must(int value, const char* what) {
  if (value < 0) die(what);
  return value;
}

sluice::UniqueFd bind_loopback(int kind, std::uint16_t port) {
  sluice::UniqueFd fd(must(::socket(AF_INET, kind | SOCK_CLOEXEC, 0), "socket"));
  const int on = 1;
  must(::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
  const sockaddr_in address = loopback(port);
  must(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  if (kind == SOCK_STREAM) must(::listen(fd.get(), 4096), "listen");
  return fd;
}

sluice::UniqueFd connect_loopback(std::uint16_t port) {
  sluice::UniqueFd fd(must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  const sockaddr_in address = loopback(port);
  must(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  set_no_delay(fd.get());
  return fd;
}

sluice::UniqueFd accept_one(int listener) {
  return sluice::UniqueFd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
}

std::uint16_t local_port(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  must(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  return ntohs(address.sin_port);
}

void set_no_delay(int fd) {
  const int on = 1;
  must(::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
}

void send_all(int fd, std::span<const std::byte> data) {
  while (!data.empty()) {
    const ssize_t sent = ::send(fd, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0) die("send");
    data = data.subspan(static_cast<std::size_t>(sent));
  }
}

bool receive_all(int fd, std::span<std::byte> room) {
  while (!room.empty()) {
    const ssize_t got = ::recv(fd, room.data(), room.size(), 0);
    if (got < 0) die("recv");
    if (got == 0) return false;
    room = room.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  must(::sched_setaffinity(0, sizeof set, &set), "sched_setaffinity");
}

}  // namespace perf
