// process/descriptors.h - descriptors across fork, exec and Unix sockets.
//
// Thread: any, except close_descriptors_except (a fresh child only).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice {

/// Both ends of a connected Unix socket pair, close-on-exec, blocking.
struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};
/// `type` is SOCK_SEQPACKET or SOCK_STREAM. Errors: no_descriptors, system.
[[nodiscard]] Result<SocketPair> make_socket_pair(int type);

/// Most descriptors that one of our messages carries.
inline constexpr std::size_t kMaxMessageFds = 4;

/// One message received from a SOCK_SEQPACKET socket.
struct ReceivedMessage {
  std::size_t size = 0;  ///< bytes in the caller's room; 0 with no descriptors = end of file
  std::array<UniqueFd, kMaxMessageFds> fds;
  std::size_t fd_count = 0;
};

/// Sends one message with up to kMaxMessageFds descriptors (they stay the caller's). Retries EINTR.
/// Errors: closed (EPIPE, ECONNRESET), no_room (EAGAIN), invalid (too many), system.
[[nodiscard]] Status send_message(int socket, ByteView bytes, std::span<const int> fds = {});

/// Receives one message; descriptors arrive close-on-exec. Retries EINTR.
/// Errors: too_large (the message or its descriptors did not fit; they are closed),
/// no_room (EAGAIN), closed (ECONNRESET), system.
[[nodiscard]] Result<ReceivedMessage> receive_message(int socket, ByteSpan room);

/// Waits until `socket` is readable or the deadline passes.
/// `timeout_ms` < 0 waits for ever. Errors: timeout, system.
[[nodiscard]] Status wait_readable(int socket, int timeout_ms);

/// Another descriptor of what `fd` names, close-on-exec. Errors: no_descriptors, system.
[[nodiscard]] Result<UniqueFd> duplicate(int fd) noexcept;

/// Errors: system.
[[nodiscard]] Status set_close_on_exec(int fd, bool on);

/// Closes every descriptor above 2 that is not listed. For a child between fork and its work.
void close_descriptors_except(std::span<const int> keep) noexcept;

/// Replaces this process by the program behind `program_fd` (O_PATH is enough), so no directory on
/// its path needs to be reachable. Returns only on failure, with the errno.
int execute_descriptor(int program_fd, char* const argv[], char* const environment[]) noexcept;

}  // namespace sluice
