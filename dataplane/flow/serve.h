// flow/serve.h - the life of a TCP client: accept -> learn the target -> decide -> connect ->
// relay.
#pragma once

#include "dataplane/flow/acceptor.h"
#include "dataplane/flow/decide.h"

namespace sluice::flow {

/// One client from accept to close. Owns the socket.
Task<void> serve(Engine& engine, UniqueFd client, Endpoint peer, Entrance entrance);

}  // namespace sluice::flow
