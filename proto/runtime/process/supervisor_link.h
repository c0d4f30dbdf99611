// process/supervisor_link.h - what a control plane may ask of the supervisor that started it.
//
// The configuration may lie where the control plane's user cannot reach it (a clone in a 0700
// directory), and `config apply` must replace it. Both are the supervisor's, which keeps its rights
// and knows one path only; the path never travels.
//
//   SOCK_SEQPACKET, one request at a time:
//     request  operation(1) sequence(1)
//              + for replace: one descriptor, a regular file
//     reply    operation(1) sequence(1) errno(4, big endian)
//              + for open, errno 0: the file, read-only
//   The sequence tells a reply from a late one to a request that timed out.
//   end of file: the supervisor is gone; drain and exit.
//
// Thread: one at a time per link; calls block until the reply or the deadline.
#pragma once

#include <cstdint>
#include <span>

#include "proto/common/clock.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice {

enum class SupervisorOperation : std::uint8_t {
  open_config = 1,     ///< the file as it is now, from its start
  replace_config = 2,  ///< copy the descriptor's content over the file, atomically
};

inline constexpr std::size_t kSupervisorRequestBytes = 2;
inline constexpr std::size_t kSupervisorReplyBytes = 6;

struct SupervisorRequest {
  SupervisorOperation operation{};
  std::uint8_t sequence = 0;
  friend bool operator==(const SupervisorRequest&, const SupervisorRequest&) = default;
};

class SupervisorLink {
 public:
  /// Takes the descriptor named by --supervisor-fd.
  explicit SupervisorLink(UniqueFd socket) noexcept : socket_(std::move(socket)) {}

  /// Errors: closed (supervisor gone), timeout, malformed, or the errno of the supervisor's open.
  [[nodiscard]] Result<UniqueFd> open_config(Millis timeout);
  /// `content` is a regular file (a memfd is one); it is read from offset 0 to its end.
  /// Errors: as above; too_large beyond kMaxConfigBytes.
  [[nodiscard]] Status replace_config(int content, Millis timeout);

  /// For the loop: readable outside a call means end of file.
  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

 private:
  Result<ReceivedMessage> call(SupervisorOperation operation, std::span<const int> fds,
                               Millis timeout);

  UniqueFd socket_;
  std::uint8_t last_sequence_ = 0;
};

/// Reply of the supervisor to `request`; `error` is an errno or 0.
struct SupervisorReply {
  SupervisorRequest request;
  std::int32_t error = 0;
};
/// Writes kSupervisorReplyBytes.
void encode_reply(const SupervisorReply& reply, Writer& out) noexcept;
/// Errors: truncated, malformed (trailing bytes, unknown operation).
[[nodiscard]] Result<SupervisorReply> decode_reply(ByteView bytes) noexcept;
/// Errors: truncated, malformed (trailing bytes), unsupported (unknown operation).
[[nodiscard]] Result<SupervisorRequest> decode_request(ByteView bytes) noexcept;

}  // namespace sluice
