// perf/system/handshake.h - the server's half of SOCKS5 for the bare programs: no login, IPv4 only.
#pragma once

#include <cstdint>

namespace perf {

struct Request {
  std::uint8_t command = 0;  ///< 1 CONNECT, 3 ASSOCIATE
  std::uint32_t ip = 0;      ///< host byte order
  std::uint16_t port = 0;
};

/// Answers the greeting in `fd`'s receive buffer. False when the peer is gone.
bool answer_greeting(int fd);
/// Reads the request in `fd`'s receive buffer. False when the peer is gone.
bool read_request(int fd, Request& request);
/// Sends success with 127.0.0.1:`bound_port`.
void accept_request(int fd, std::uint16_t bound_port);

}  // namespace perf
