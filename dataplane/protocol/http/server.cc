#include "dataplane/protocol/http/server.h"

#include <utility>

#include "dataplane/protocol/http/session.h"

namespace sluice::http {

Task<Result<HttpOutcome>> serve_http(transport::End& client, SliceQueue& in,
                                     const ServerOptions& options, HttpDialer& dialer,
                                     Until until) {
  Session session(client, in, options, dialer, until);
  Task<Result<HttpOutcome>> running = session.run();
  Result<HttpOutcome> outcome = co_await running;
  co_return std::move(outcome);
}

Task<Status> reply_connect(transport::End& client, std::uint8_t minor, Error outcome,
                           std::string_view detail, Until until) {
  std::string text;
  if (outcome.code == Errc::none) {
    text = minor == 0 ? "HTTP/1.0 200 Connection established\r\n\r\n"
                      : "HTTP/1.1 200 Connection established\r\n\r\n";
  } else {
    Reply reply;
    reply.status = status_for(outcome);
    reply.minor = minor;
    reply.detail = detail;
    text = format_reply(reply);
  }
  const Status sent = co_await transport::send(client, as_byte_view(text), until);
  co_return sent;
}

}  // namespace sluice::http
