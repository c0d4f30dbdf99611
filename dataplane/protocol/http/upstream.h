// http/upstream.h - what the HTTP server needs of the flow room: connections to origins.
//
// Each one is a flow: decided by the rules, counted, listed, and closed like any other. The server
// keeps it for further requests of the same client to the same place by the same user.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dataplane/transport/end.h"
#include "proto/common/name.h"

namespace sluice::http {

/// Owner: the server's session; destroying it closes the connection. Thread: the client's worker.
class HttpUpstream {
 public:
  HttpUpstream() noexcept = default;
  HttpUpstream(const HttpUpstream&) = delete;
  HttpUpstream& operator=(const HttpUpstream&) = delete;
  virtual ~HttpUpstream() = default;

  [[nodiscard]] virtual transport::End& end() noexcept = 0;
  /// Bytes of heads and payload that passed: client to origin, origin to client.
  virtual void account(std::uint64_t up, std::uint64_t down) noexcept = 0;
  /// False when the next request must be decided anew (other rules, the flow is to close).
  [[nodiscard]] virtual bool reusable() const noexcept = 0;
  /// `until` for an exchange on it: also ended by whoever closes its flow.
  [[nodiscard]] virtual Until bound(Until until) noexcept { return until; }
  /// Events of an idle one go to `sink` while set: its connection's, and the wish to close it.
  virtual void set_sink(WatchSink* sink) noexcept { end().set_sink(sink); }
  /// Why it ends; called once, just before it is destroyed. Code none: nothing went wrong.
  virtual void finish(Error reason) noexcept = 0;
};

class HttpDialer {
 public:
  /// Decides and connects. `user` is the authenticated one or empty. Errors: denied (a rule), loop,
  /// timeout, and those of connecting.
  virtual Task<Result<std::unique_ptr<HttpUpstream>>> dial(Destination to, std::string user,
                                                           Until until) = 0;
  /// Says more of the last dial() that failed than its code does; empty when there is no more.
  [[nodiscard]] virtual std::string_view refusal() const noexcept { return {}; }

 protected:
  ~HttpDialer() = default;
};

}  // namespace sluice::http
