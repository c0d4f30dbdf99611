// http/limits.h - tunable numbers of the HTTP proxy, each with its reason.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice::http {

/// One head, one line of it, and its fields: above what browsers and servers send (cookies of
/// several KiB, some hundred fields).
inline constexpr std::size_t kMaxHead = 64 * 1024;
inline constexpr std::size_t kMaxLine = 8 * 1024;
inline constexpr std::size_t kMaxFields = 256;
/// All Connection fields of a head together: each option is compared with each field.
inline constexpr std::size_t kMaxConnection = 1024;
/// Informational heads before the answer to CONNECT: a proxy must not feed us for ever.
inline constexpr unsigned kMaxInformational = 16;
/// A chunk's size line with its extensions, and all trailers together.
inline constexpr std::size_t kMaxChunkLine = 1024;
inline constexpr std::size_t kMaxTrailers = 8 * 1024;
/// Time for the first head (B070), and for each head that has begun.
inline constexpr Millis kHeadTimeout{30'000};
/// A client may think this long between two requests.
inline constexpr Millis kClientIdle{120'000};
/// Idle upstream connections are kept this long (specs, socks-http.md section 3).
inline constexpr Millis kUpstreamIdle{90'000};
/// An exchange in which nothing moves for this long is over; long polls stay below it.
inline constexpr Millis kExchangeIdle{300'000};
/// Kept upstream connections of one client connection.
inline constexpr std::size_t kMaxKept = 4;
/// A request body that is read and thrown away, so that the connection survives a 407.
inline constexpr std::size_t kMaxDiscard = 64 * 1024;

}  // namespace sluice::http
