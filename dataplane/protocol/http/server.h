// http/server.h - the server's side of an HTTP proxy connection, up to a tunnel or its end.
//
//   head -> credentials -> CONNECT?  ── yes ──> returned to the caller, who relays
//                             │ no
//                             └> absolute form -> kept or dialed upstream -> exchange -> next head
//
// Thread: the client's worker.
#pragma once

#include <string>
#include <string_view>

#include "dataplane/protocol/credentials.h"
#include "dataplane/protocol/http/upstream.h"
#include "dataplane/transport/end.h"

namespace sluice::http {

struct ServerOptions {
  Credentials credentials;
};

/// What a proxy connection came to.
struct HttpOutcome {
  bool tunnel = false;     ///< CONNECT: the caller dials, answers and relays; else close
  Destination to;          ///< with `tunnel`
  std::string user;        ///< authenticated, or empty
  std::uint8_t minor = 1;  ///< the version to answer with
};

/// Serves requests until the client asks for a tunnel or the connection ends. Bytes behind the
/// CONNECT head stay in `in`. What HTTP can say about a failure has been sent when it fails; after
/// any outcome but a tunnel the caller flushes and closes. References must outlive the task.
/// Errors: closed never (an end between requests is an outcome); malformed, too_large, timeout,
/// reset, auth_failed (the client left after 407); side says whose.
Task<Result<HttpOutcome>> serve_http(transport::End& client, SliceQueue& in,
                                     const ServerOptions& options, HttpDialer& dialer, Until until);

/// Answers CONNECT: code none is 200 and the tunnel begins; else status_for(), then close.
/// `detail` says more than the code does, or is empty.
Task<Status> reply_connect(transport::End& client, std::uint8_t minor, Error outcome,
                           std::string_view detail, Until until);

}  // namespace sluice::http
