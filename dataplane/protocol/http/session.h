// http/session.h - one client connection of the HTTP server: its requests in order.
//
// Owner: serve_http's frame. Thread: the client's worker.
#pragma once

#include <memory>
#include <string>

#include "dataplane/protocol/http/exchange.h"
#include "dataplane/protocol/http/kept.h"
#include "dataplane/protocol/http/reply.h"
#include "dataplane/protocol/http/server.h"
#include "dataplane/protocol/http/wake.h"

namespace sluice::http {

class Session {
 public:
  Session(transport::End& client, SliceQueue& in, const ServerOptions& options, HttpDialer& dialer,
          Until until) noexcept
      : client_(client),
        in_(in),
        options_(options),
        dialer_(dialer),
        until_(until),
        wake_(client.loop()) {}

  Task<Result<HttpOutcome>> run();

 private:
  /// What follows a request that was dealt with.
  enum class Next : std::uint8_t { request, close };

  enum class Kind : std::uint8_t { forward, tunnel, ask_credentials };

  /// A request that passed the checks. Views point into head_.
  struct Request {
    Kind kind = Kind::forward;
    RequestHead head;
    BodyShape body;         ///< not of a tunnel
    AbsoluteTarget target;  ///< of a tunnel: only `to`
    std::string user;
  };

  /// How one try to forward a request went.
  struct Attempt {
    Status status;
    bool fresh = false;      ///< not over a kept connection
    bool undialed = false;   ///< the dialer failed
    bool silent = true;      ///< nothing came back
    bool responded = false;  ///< the client got something
    Next next = Next::close;
  };

  [[nodiscard]] Moment now() const noexcept { return client_.loop().now(); }
  Task<Status> wait_for_bytes();
  Task<Status> wait_for_wake(Moment idle);
  Task<Status> read_head();
  bool take_head_bytes(Status& status) noexcept;
  Result<Request> examine();
  bool authenticate(const RequestHead& head, std::string& user) const;
  Task<Status> send_reply(Reply reply);
  Task<Result<HttpOutcome>> reject(Error why);
  Result<HttpOutcome> ended(Error why) const noexcept;
  Task<Result<Next>> ask_credentials(const Request& request);
  Task<Status> discard_body(BodyShape body);
  Task<Result<Next>> forward(const Request& request);
  Task<Attempt> attempt(const Request& request, const std::string& wire, bool fresh);
  Task<Result<std::unique_ptr<HttpUpstream>>> upstream_for(const Request& request, bool fresh,
                                                           Attempt& attempt);
  Task<Status> run_exchange(Exchange& exchange, HttpUpstream& upstream);
  void settle(const Request& request, const Exchange& exchange,
              std::unique_ptr<HttpUpstream> upstream, const Status& status);
  Task<Result<Next>> answer_failure(const Request& request, const Attempt& attempt);

  transport::End& client_;
  SliceQueue& in_;
  const ServerOptions& options_;
  HttpDialer& dialer_;
  Until until_;
  std::string head_;
  HeadScanner scanner_;
  bool asked_ = false;  ///< a 407 was the last answer
  KeptUpstreams kept_;
  Wake wake_;  ///< after kept_: it detaches from them first
};

}  // namespace sluice::http
