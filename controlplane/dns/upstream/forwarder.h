// dns/upstream/forwarder.h - asks a set of servers and keeps what they say.
//
//   ask ─> cache ─> a lookup that already runs (equal questions share one)
//               └─> lookup ─> all servers of the set at once
//                             first NOERROR or NXDOMAIN wins, the others are dropped
//                             all failed: the first error code, or the first error
//
// Owner: Dns. Thread: the DNS loop's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "controlplane/dns/cache.h"
#include "controlplane/dns/message/query.h"
#include "controlplane/dns/names/hosts.h"
#include "controlplane/dns/options.h"
#include "controlplane/dns/upstream/own_sockets.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/task_set.h"
#include "proto/runtime/loop/wait_list.h"

namespace sluice::dns {

/// main: `nameserver`. bootstrap: `default-nameserver`, for names of servers; without one, those of
/// `nameserver` that are addresses, else the system's.
enum class ServerSet : std::uint8_t { main, bootstrap };

class Forwarder {
 public:
  using AnswerRef = Cache::AnswerRef;

  Forwarder(Loop& loop, OwnSockets& own);
  ~Forwarder();

  /// Lookups that run go on with the servers they have; what is cached stays unless servers
  /// changed.
  void configure(const model::Dns& dns, const Hosts& hosts);
  [[nodiscard]] const Cache& cache() const noexcept { return cache_; }
  /// Questions that servers are being asked.
  [[nodiscard]] std::size_t under_way() const noexcept { return lookups_.size(); }
  /// From the cache, without waiting.
  [[nodiscard]] std::optional<Cache::Hit> cached(const Query& query, ServerSet set);
  /// An expired answer, for when ask() failed. nullptr when there is none.
  [[nodiscard]] AnswerRef stale(const Query& query, ServerSet set) const;
  /// Asks servers; gives up at `until` or after kQueryTimeout, whichever is first. The answer's
  /// code may be one that the servers gave. Errors: loop (every server is ourselves), timeout,
  /// no_room, refused, unreachable …
  [[nodiscard]] Task<Result<AnswerRef>> ask(Query query, ServerSet set, Until until);

 private:
  struct Lookup;
  using LookupRef = std::shared_ptr<Lookup>;

  LookupRef start(const QuestionKey& key, const Query& query, ServerSet set);
  [[nodiscard]] std::vector<model::DnsServer> servers_of(ServerSet set) const;
  Task<void> ask_server(LookupRef lookup, model::DnsServer server);
  Task<Result<std::vector<IpAddress>>> addresses_of_server(std::string host, Until until);
  void settle(Lookup& lookup, Result<Received> received);
  void finish(Lookup& lookup);
  void warn_loop(const Endpoint& server);

  Loop& loop_;
  OwnSockets& own_;
  std::vector<model::DnsServer> main_;
  std::vector<model::DnsServer> bootstrap_;
  const Hosts* hosts_ = nullptr;
  Cache cache_;
  std::unordered_map<std::string, LookupRef> lookups_;
  Moment next_loop_warning_{};
  TaskSet tasks_;  // last: its frames use everything above
};

}  // namespace sluice::dns
