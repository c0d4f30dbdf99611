// perf/system/sockets.h - blocking sockets on loopback for load programs.
//
// A load program has no one to report an error to: anything unexpected ends it with a message.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "proto/common/unique_fd.h"

namespace perf {

/// Prints "what: strerror" and exits with 1.
[[noreturn]] void die(const char* what);
/// `value` of a system call, or the end of the program.
int must(int value, const char* what);

/// A TCP listener or a bound UDP socket on 127.0.0.1 and a port; 0 lets the kernel choose.
sluice::UniqueFd bind_loopback(int kind, std::uint16_t port = 0);
/// A blocking TCP connection to 127.0.0.1.
sluice::UniqueFd connect_loopback(std::uint16_t port);
/// Accepts one connection; -1 inside when the listener was shut down.
sluice::UniqueFd accept_one(int listener);
std::uint16_t local_port(int fd);
/// Turns Nagle's delay off: a one-byte echo must leave at once.
void set_no_delay(int fd);

void send_all(int fd, std::span<const std::byte> data);
/// False at the end of stream before `room` is full.
bool receive_all(int fd, std::span<std::byte> room);

/// CPUs for the calling thread and those it starts later.
void pin_to(int cpu);

}  // namespace perf
