// dns/tcp_frame.h - DNS messages on a stream: size(2, big endian) | message. RFC 1035
// section 4.2.2.
//
// Thread: the DNS loop's.
#pragma once

#include <cstddef>
#include <vector>

#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/net/socket.h"

namespace sluice::dns {

/// Reads frame by frame; bytes of later frames stay for the next call. Holds no buffer between
/// frames of which nothing has arrived.
class FrameReader {
 public:
  explicit FrameReader(Socket& socket) noexcept : socket_(socket) {}

  /// The view is good until the next call.
  /// Errors: closed (also in the middle of a frame), timeout, cancelled, reset, system.
  [[nodiscard]] Task<Result<ByteView>> next(Until until);

 private:
  [[nodiscard]] bool whole() const noexcept;
  Result<std::size_t> read_some();

  Socket& socket_;
  std::vector<std::byte> buffer_;
  std::size_t given_ = 0;  // bytes at the front that the last view covered
};

/// Size and message as one write when the socket takes it. Errors: as a stream's; too_large.
[[nodiscard]] Task<Status> write_frame(Socket& socket, ByteView message, Until until);

}  // namespace sluice::dns
