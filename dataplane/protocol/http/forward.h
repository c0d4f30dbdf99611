// http/forward.h - heads as they are sent on (RFC 9110 section 7.6): without what was meant for
// this hop, with the framing that this hop uses.
//
// Pure functions. Nothing says that a proxy was here: no Via, no Forwarded.
#pragma once

#include <string>

#include "dataplane/protocol/http/body.h"
#include "dataplane/protocol/http/head.h"
#include "dataplane/protocol/http/target.h"

namespace sluice::http {

/// The request asks to change protocols (RFC 9110 section 7.8).
[[nodiscard]] bool wants_upgrade(const RequestHead& head) noexcept;

/// What the client asked about its own connection.
[[nodiscard]] bool keeps_alive(const RequestHead& head) noexcept;
/// Whether the upstream connection may carry another request after this response.
[[nodiscard]] bool keeps_alive(const ResponseHead& head) noexcept;

/// Origin form, HTTP/1.1, Host from the target.
[[nodiscard]] std::string forward_request(const RequestHead& head, const AbsoluteTarget& target,
                                          BodyShape body);

struct ResponseOptions {
  BodyKind body = BodyKind::none;  ///< framing towards the client
  bool close = false;              ///< say that the client's connection ends
  bool keep_alive = false;         ///< say to an HTTP/1.0 client that it stays
  bool upgrade = false;            ///< 101: Connection and Upgrade are passed on
};
/// HTTP/1.1 whatever the upstream spoke.
[[nodiscard]] std::string forward_response(const ResponseHead& head,
                                           const ResponseOptions& options);

}  // namespace sluice::http
