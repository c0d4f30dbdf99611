// outbound/happy_eyeballs.h - connect to the first address that answers (RFC 8305).
//
//   order: preferred family first, families alternating
//   t = 0        try #1
//   t = 300 ms   #1 still silent: try #2 beside it      (concurrent: all at t = 0)
//   on failure   the next try starts at once
#pragma once

#include <span>
#include <vector>

#include "proto/contract/manifest.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::outbound {

/// Filters by `version`, puts the preferred family first, alternates, cuts to kMaxAttempts.
[[nodiscard]] std::vector<IpAddress> order_addresses(std::span<const IpAddress> addresses,
                                                     contract::IpVersion version, bool ipv6);

struct Connection {
  Socket socket;
  Endpoint remote;  ///< the one that answered
};

/// `addresses` in the order of order_addresses. Errors: no_address when it is empty; else the error
/// of the last try, or timeout, cancelled.
Task<Result<Connection>> connect_any(Loop& loop, std::vector<IpAddress> addresses,
                                     std::uint16_t port, DialOptions options, bool concurrent,
                                     Until until);

}  // namespace sluice::outbound
