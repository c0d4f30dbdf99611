// http/head.h - the head of a request or response (RFC 9112), checked strictly, read as views.
//
//   request line | status line      CRLF or LF ends a line
//   name: value                     names are tokens; no folding, no control characters
//   (blank line)
//
// Pure functions. Views point into the text of the head, which must outlive them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/protocol/http/limits.h"
#include "proto/common/result.h"

namespace sluice::http {

struct Field {
  std::string_view name;
  std::string_view value;  ///< without blanks around it
};

/// The fields of a checked head, in order.
class Fields {
 public:
  Fields() noexcept = default;
  /// `lines` were checked by parse_*_head.
  explicit Fields(std::string_view lines) noexcept : rest_(lines) {}
  /// The next field, or nothing at the end. Works on a copy: `Fields f = head.fields;`
  std::optional<Field> next() noexcept;
  /// The first field of that name (case ignored).
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  /// True when a field of that name holds `token` in its comma-separated list (case ignored).
  [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const noexcept;

 private:
  std::string_view rest_;
};

struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::uint8_t minor = 1;  ///< HTTP/1.minor, at most 1
  Fields fields;
};

struct ResponseHead {
  std::uint16_t status = 0;  ///< 100..999
  std::string_view reason;
  std::uint8_t minor = 1;
  Fields fields;
};

/// Finds where a head ends, whatever pieces it comes in. Empty lines in front of it count as part
/// of it (RFC 9112 section 2.2).
class HeadScanner {
 public:
  /// How many bytes of `more` belong to the head; fewer than all only when done(). Errors:
  /// too_large past kMaxHead or kMaxLine.
  Result<std::size_t> take(std::string_view more) noexcept;
  /// The blank line was seen.
  [[nodiscard]] bool done() const noexcept { return done_; }

 private:
  std::size_t size_ = 0;
  std::size_t line_ = 0;  ///< bytes of the present line so far
  bool starts_with_cr_ = false;
  bool started_ = false;  ///< a line that is not blank was seen
  bool done_ = false;
};

/// `text` is one whole head. Errors: malformed, unsupported (not HTTP/1.x), too_large (fields).
[[nodiscard]] Result<RequestHead> parse_request_head(std::string_view text) noexcept;
[[nodiscard]] Result<ResponseHead> parse_response_head(std::string_view text) noexcept;

/// The parts of a comma-separated list, without blanks; empty ones are skipped.
class List {
 public:
  explicit List(std::string_view text) noexcept : rest_(text) {}
  std::optional<std::string_view> next() noexcept;

 private:
  std::string_view rest_;
};

}  // namespace sluice::http
