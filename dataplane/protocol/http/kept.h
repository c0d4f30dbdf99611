// http/kept.h - idle upstream connections of one client, for its next requests.
//
// Per (host, port, user) and per client connection: each is a flow of that client, so nobody else
// may use it. A connection that says anything while idle, or ends, is dropped.
//
// Owner: the session. Thread: its worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataplane/protocol/http/upstream.h"
#include "dataplane/protocol/http/wake.h"
#include "proto/common/clock.h"

namespace sluice::http {

class KeptUpstreams {
 public:
  KeptUpstreams() noexcept = default;
  KeptUpstreams(const KeptUpstreams&) = delete;
  KeptUpstreams& operator=(const KeptUpstreams&) = delete;
  ~KeptUpstreams() { clear(); }

  /// nullptr when there is none for this place and user.
  std::unique_ptr<HttpUpstream> take(const Destination& to, std::string_view user, Moment now);
  /// Keeps it for kUpstreamIdle; the longest idle one makes room.
  void put(std::unique_ptr<HttpUpstream> upstream, Destination to, std::string user, Moment now);
  /// Drops what expired, ended or may not be reused.
  void sweep(Moment now) noexcept;
  void clear() noexcept;
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] std::size_t count() const noexcept { return entries_.size(); }
  /// When the next one expires.
  [[nodiscard]] Moment next_expiry() const noexcept;
  void attach_to(Wake& wake) noexcept;

 private:
  struct Entry {
    std::unique_ptr<HttpUpstream> upstream;
    Destination to;
    std::string user;
    Moment expiry;
  };
  static bool usable(Entry& entry, Moment now) noexcept;
  std::vector<Entry> entries_;  ///< oldest first
};

}  // namespace sluice::http
