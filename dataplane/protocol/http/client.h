// http/client.h - a tunnel through an HTTP proxy: CONNECT (RFC 9110 section 9.3.6).
//
// Thread: the end's worker. Views must outlive the task.
#pragma once

#include <string_view>

#include "dataplane/transport/end.h"
#include "proto/common/name.h"

namespace sluice::http {

struct ClientOptions {
  std::string_view user;
  std::string_view password;
};

/// Opens a tunnel to `to`, its name sent as a name. Credentials are sent at once. Bytes behind the
/// blank line are put back into `end`: they are the tunnel's.
/// Errors, with the status in `detail`: auth_failed (407), refused (any other that is not 2xx);
/// malformed, too_large, and those of the end; side upstream.
Task<Status> connect_through(transport::End& end, const Destination& to, ClientOptions options,
                             Until until);

}  // namespace sluice::http
