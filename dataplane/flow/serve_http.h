// flow/serve_http.h - an HTTP proxy client: CONNECT tunnels and absolute-form requests.
#pragma once

#include <memory>
#include <vector>

#include "dataplane/flow/decide.h"
#include "dataplane/flow/step.h"
#include "dataplane/transport/end.h"
#include "proto/contract/manifest.h"

namespace sluice::flow {

/// Serves the connection until it ends. `in` holds what has been read already. `users` are those
/// of the listener at accept; empty = no authentication.
Task<Step> serve_http_client(Engine& engine, std::unique_ptr<transport::End> client, SliceQueue in,
                             Request request, std::vector<contract::User> users);

}  // namespace sluice::flow
