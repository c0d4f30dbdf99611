// dns/upstream/exchange.h - one question to one server, over UDP or TCP.
//
// UDP: a fresh connected socket per query, so source port (the kernel's choice) and id (16 random
// bits) are both unknown to forgers, and only the server's address can answer. What does not match
// id and question is ignored while the wait goes on (B046). Truncated answers are asked again over
// TCP. A server that does not know EDNS0 is asked again without.
#pragma once

#include "controlplane/dns/message/answer.h"
#include "controlplane/dns/message/query.h"
#include "controlplane/dns/upstream/own_sockets.h"
#include "proto/common/address.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::dns {

/// `query`: question and flags; the id is chosen here. `own` must outlive the task.
/// Errors: timeout, cancelled, refused, unreachable, malformed, no_descriptors, system.
[[nodiscard]] Task<Result<Received>> exchange(Loop& loop, OwnSockets& own, Endpoint server,
                                              Transport transport, Query query, Until until);

}  // namespace sluice::dns
