// Faults at the system-call boundary. This program defines the calls itself (calls.cc) and passes
// them on to the C library, but for those that a plan breaks.
//
//   product ──splice()──> calls.cc ──> plan says so?  no ──> the library's splice
//                                             └── yes ──> an error, or less than was asked for
//
// Only calls that are made while an Inside lives count: the test's own sockets are never hurt.
// Thread: the one that armed the plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::fault {

enum class Call : std::uint8_t {
  splice_in,   ///< socket to pipe
  splice_out,  ///< pipe to socket
  readv,
  sendmsg,
  accept4,
  connect,
  socket,
  pipe2,
  pipe_size,   ///< F_SETPIPE_SZ
  pipe_pages,  ///< F_SETPIPE_SZ of a pipe that the kernel made two pages long: pipe-user-pages-soft
  epoll_add,
  recvmmsg,
  sendmmsg,
  setsockopt,
};

[[nodiscard]] const char* name_of(Call call) noexcept;

/// Breaks uses nth .. nth + count - 1 of one call.
///
/// Readiness is edge-triggered, so the kernel promises an event after EAGAIN and after a read that
/// gave less than there was room for. Both are followed by one here, in the loop's next turn: as if
/// the bytes or the room had come late.
struct Plan {
  Call call{};
  int error = 0;          ///< errno; 0: moves at most `limit` bytes, or messages, of what was asked
  std::size_t limit = 1;  ///< with error 0
  unsigned count = 1;
  unsigned nth = 0;

  [[nodiscard]] std::string text() const;
};

void arm(const Plan& plan) noexcept;
void disarm() noexcept;
/// Whether the plan has broken a call since arm().
[[nodiscard]] bool fired() noexcept;
/// How often the plan's call was made since arm().
[[nodiscard]] unsigned uses() noexcept;

/// While one lives, calls are the product's.
class Inside {
 public:
  Inside() noexcept;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();
};

}  // namespace sluice::fault
