// http/body.h - the body behind a head: how it is framed, taken apart, and framed again.
//
//   wire --BodyReader--> payload slices --BodyWriter--> wire
//
// Payload slices are moved, not copied, except where a slice holds more than the payload. Chunked
// bodies lose their extensions and trailers: the Trailer field is not forwarded either.
//
// Owner: an exchange. Thread: its worker.
#pragma once

#include <cstdint>
#include <string_view>

#include "dataplane/protocol/http/head.h"
#include "proto/runtime/buffer/slice_queue.h"

namespace sluice::http {

enum class BodyKind : std::uint8_t { none, length, chunked, until_close };

struct BodyShape {
  BodyKind kind = BodyKind::none;
  std::uint64_t length = 0;  ///< for BodyKind::length
  friend bool operator==(const BodyShape&, const BodyShape&) = default;
};

/// RFC 9112 section 6.3. Errors: malformed (conflicting lengths, Transfer-Encoding that does not
/// end in chunked or comes with HTTP/1.0), unsupported (a coding beside chunked).
[[nodiscard]] Result<BodyShape> request_body(const RequestHead& head) noexcept;
/// `method` is that of the request. Errors: malformed, unsupported.
[[nodiscard]] Result<BodyShape> response_body(const ResponseHead& head,
                                              std::string_view method) noexcept;

class BodyReader {
 public:
  BodyReader() noexcept = default;
  explicit BodyReader(BodyShape shape) noexcept;

  /// Moves what `in` holds of this body to `payload`; what lies behind it stays. Errors: malformed,
  /// too_large (chunk line, trailers), no_room (call again).
  Status take(SliceQueue& in, SliceQueue& payload, SlicePool& pool) noexcept;
  /// The stream ended. Errors: truncated when the body was not complete.
  Status end_of_stream() noexcept;
  [[nodiscard]] bool done() const noexcept { return state_ == State::done; }

 private:
  enum class State : std::uint8_t {
    size,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_start,
    trailer,
    trailer_lf,
    end_lf,
    raw,
    done,
  };
  Status take_framing(SliceQueue& in) noexcept;
  Status step(char c) noexcept;
  Status step_size(char c) noexcept;
  Status step_trailer(char c) noexcept;
  Status move_payload(SliceQueue& in, SliceQueue& payload, SlicePool& pool) noexcept;

  State state_ = State::done;
  bool chunked_ = false;
  std::uint8_t digits_ = 0;
  std::uint32_t line_ = 0;  ///< bytes of this chunk line, or of all trailers
  std::uint64_t left_ = 0;  ///< payload bytes until the next framing
};

class BodyWriter {
 public:
  BodyWriter() noexcept = default;
  explicit BodyWriter(BodyKind kind) noexcept : chunked_(kind == BodyKind::chunked) {}

  /// Moves `payload` to `out` in this body's framing. Errors: no_room (what is left stays in
  /// `payload`: call again).
  Status put(SliceQueue& payload, SliceQueue& out, SlicePool& pool) noexcept;
  /// The end of the body. Errors: no_room (call again).
  Status finish(SliceQueue& out, SlicePool& pool) noexcept;

 private:
  bool chunked_ = false;
};

}  // namespace sluice::http
