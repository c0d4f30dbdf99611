#include "perf/system/handshake.h"

#include <sys/socket.h>

#include <array>
#include <cstddef>

namespace perf {

namespace {

unsigned value(std::byte b) {
  return std::to_integer<unsigned>(b);
}

}  // namespace

bool answer_greeting(int fd) {
  std::array<std::byte, 32> greeting;
  if (::recv(fd, greeting.data(), greeting.size(), 0) <= 0) return false;
  const std::array method = {std::byte{5}, std::byte{0}};
  return ::send(fd, method.data(), method.size(), MSG_NOSIGNAL) == 2;
}

bool read_request(int fd, Request& request) {
  std::array<std::byte, 10> wire;  // VER CMD RSV ATYP address(4) port(2)
  if (::recv(fd, wire.data(), wire.size(), 0) != static_cast<ssize_t>(wire.size())) return false;
  request.command = static_cast<std::uint8_t>(value(wire[1]));
  request.ip = value(wire[4]) << 24 | value(wire[5]) << 16 | value(wire[6]) << 8 | value(wire[7]);
  request.port = static_cast<std::uint16_t>(value(wire[8]) << 8 | value(wire[9]));
  return true;
}

void accept_request(int fd, std::uint16_t bound_port) {
  const std::array<std::byte, 10> reply = {std::byte{5},
                                           std::byte{0},
                                           std::byte{0},
                                           std::byte{1},
                                           std::byte{127},
                                           std::byte{0},
                                           std::byte{0},
                                           std::byte{1},
                                           std::byte(bound_port >> 8),
                                           std::byte(bound_port & 0xff)};
  static_cast<void>(::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL));
}

}  // namespace perf
