// common/result.h - a value, or an 8-byte Error that says what, whose fault, and errno.
//
// Functions that can fail return Result<T>. Text is made where it is shown (error_text.h), so the
// failing path costs nanoseconds. Thread: plain values.
#pragma once

#include <cstdint>
#include <expected>

namespace sluice {

/// What went wrong. Values never travel between versions as numbers; the contract maps them.
enum class Errc : std::uint8_t {
  none = 0,
  // Decoders.
  truncated,    ///< more bytes are needed; read on
  malformed,    ///< can never become valid; close
  unsupported,  ///< valid, but a version, command or type that is not handled
  too_large,    ///< exceeds a stated limit
  // Peers and network.
  refused,      ///< the far side refused (RST on connect, a reply code)
  unreachable,  ///< no route to host or net
  timeout,      ///< a deadline passed
  closed,       ///< the far side ended the stream
  reset,        ///< the far side reset the stream
  auth_failed,  ///< credentials missing or wrong
  denied,       ///< a rule, an ACL or a policy said no
  loop,         ///< our own traffic came back to us
  no_address,   ///< a name has no usable address
  bad_tag,      ///< an authenticated record failed to open
  // Us.
  again,           ///< would block; wait for readiness and try again
  no_room,         ///< a pool, table or budget is used up
  no_descriptors,  ///< EMFILE / ENFILE
  not_found,
  exists,
  invalid,    ///< an argument or a message that makes no sense
  cancelled,  ///< the owner ended it
  not_built,  ///< known, but not part of this build
  system,     ///< see Error::sys
};

/// Whose fault: decides whether a retry makes sense and which counter moves.
enum class Side : std::uint8_t { us, client, upstream };

struct Error {
  Errc code = Errc::none;
  Side side = Side::us;
  std::uint16_t detail = 0;  ///< protocol detail, e.g. a SOCKS reply or HTTP status; 0 = none
  std::int32_t sys = 0;      ///< errno, or 0
  friend bool operator==(const Error&, const Error&) = default;
};
static_assert(sizeof(Error) == 8);

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

/// The error side of any Result: `return fail(Errc::truncated);`
[[nodiscard]] constexpr std::unexpected<Error> fail(Errc code, Side side = Side::us,
                                                    int sys = 0) noexcept {
  return std::unexpected<Error>(Error{code, side, 0, sys});
}
[[nodiscard]] constexpr std::unexpected<Error> fail(Error error) noexcept {
  return std::unexpected<Error>(error);
}
/// Maps an errno to the closest code and keeps the number. `errno_value` must not be 0.
[[nodiscard]] std::unexpected<Error> fail_errno(int errno_value, Side side = Side::us) noexcept;
/// The same mapping, as a plain Error.
[[nodiscard]] Error error_from_errno(int errno_value, Side side = Side::us) noexcept;

}  // namespace sluice
