// net/error_queue.h - ICMP errors about datagrams that left an unconnected socket (IP_RECVERR).
//
// The kernel also lets the next call on the socket fail once with such an error; whoever sends or
// receives tries again. Thread: any.
#pragma once

#include <cstdint>
#include <optional>

#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice {

/// Why a datagram did not arrive (RFC 792, RFC 4443 section 3.1).
enum class Unreachable : std::uint8_t { port, host, network, prohibited };

struct SendError {
  Endpoint to;
  Unreachable why = Unreachable::port;
};

/// Queues errors of both families on `fd`. Errors: system.
[[nodiscard]] Status ask_for_errors(int fd) noexcept;
/// Takes the next one off the queue; what says nothing of a destination is skipped.
[[nodiscard]] std::optional<SendError> next_send_error(int fd) noexcept;

}  // namespace sluice
