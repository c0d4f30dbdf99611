// net/socket.h - a non-blocking socket on a loop, and the byte calls on it.
//
// Thread: the loop's. Errors of I/O calls: again (wait for readiness), closed (end of stream on
// read), reset, timeout, system.
#pragma once

#include <memory>
#include <span>

#include "proto/common/address.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/watch.h"

struct iovec;

namespace sluice {

/// Move-only; closes on destruction.
class Socket {
 public:
  Socket() noexcept = default;
  /// Registers a non-blocking descriptor. Errors: system, no_descriptors.
  static Result<Socket> adopt(Loop& loop, UniqueFd fd, Interest interest = Interest::both);

  [[nodiscard]] bool valid() const noexcept { return watch_ != nullptr; }
  [[nodiscard]] int fd() const noexcept { return watch_->fd(); }
  [[nodiscard]] Watch& watch() const noexcept { return *watch_; }
  [[nodiscard]] Loop& loop() const noexcept { return watch_->loop(); }
  void close() noexcept { watch_.reset(); }

  /// At least 1 byte. Clears the watch's flag on `again` and when the stream is drained.
  [[nodiscard]] Result<std::size_t> read(ByteSpan into) noexcept;
  [[nodiscard]] Result<std::size_t> readv(const iovec* parts, std::size_t count) noexcept;
  [[nodiscard]] Result<std::size_t> write(ByteView from) noexcept;
  [[nodiscard]] Result<std::size_t> writev(const iovec* parts, std::size_t count) noexcept;
  /// FIN; later reads still work.
  void shut_write() noexcept;
  /// The next close sends RST instead of FIN.
  void reset_on_close() noexcept;
  /// SO_ERROR; ok when there is none.
  [[nodiscard]] Status pending_error() noexcept;
  [[nodiscard]] Endpoint local() const noexcept;
  [[nodiscard]] Endpoint remote() const noexcept;

 private:
  explicit Socket(std::unique_ptr<Watch> watch) noexcept : watch_(std::move(watch)) {}
  std::unique_ptr<Watch> watch_;
};

[[nodiscard]] Endpoint local_endpoint(int fd) noexcept;
[[nodiscard]] Endpoint remote_endpoint(int fd) noexcept;

}  // namespace sluice
