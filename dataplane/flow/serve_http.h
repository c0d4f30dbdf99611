// flow/serve_http.h - an HTTP proxy client: CONNECT tunnels and absolute-form requests.
#pragma once

#include <vector>

#include "dataplane/flow/decide.h"
#include "dataplane/transport/end.h"
#include "proto/contract/manifest.h"

namespace sluice::flow {

/// Serves the connection until it ends. `in` holds what has been read already. `users` are those
/// of the listener at accept; empty = no authentication.
Task<void> serve_http_client(Engine& engine, transport::End& client, SliceQueue in, Request request,
                             std::vector<contract::User> users);

}  // namespace sluice::flow
