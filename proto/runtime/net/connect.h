// net/connect.h - one TCP connect as an await.
#pragma once

#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice {

/// Errors: refused, unreachable, timeout, cancelled, no_descriptors, system; side upstream where
/// the network said it.
Task<Result<Socket>> connect_tcp(Loop& loop, Endpoint to, DialOptions options, Until until);

}  // namespace sluice
