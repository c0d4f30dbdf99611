// dns/server/responder.h - from a client's packet to its reply.
//
//   packet ─ read_query ─ own query? ─ PTR of a pool or hosts ─ hosts ─ fake address ─ cache
//                                                                            │           │
//                                            answered in the same call <─────┴── or ─────┤
//                         pending: a coroutine waits for the data plane or for servers <─┘
//
// Owner: Dns. Thread: the DNS loop's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controlplane/dns/message/query.h"
#include "controlplane/dns/message/reply.h"
#include "controlplane/dns/names/hosts.h"
#include "controlplane/dns/options.h"
#include "controlplane/dns/pool/fake_ip.h"
#include "controlplane/dns/server/reply_path.h"
#include "controlplane/dns/upstream/forwarder.h"
#include "proto/runtime/loop/task_set.h"

namespace sluice::dns {

class Responder {
 public:
  Responder(Loop& loop, Forwarder& forwarder, FakeIp& fake, const OwnSockets& own)
      : loop_(loop), forwarder_(forwarder), fake_(fake), own_(own), tasks_(loop) {}

  void configure(const model::Dns& dns, const Hosts& hosts);

  enum class Outcome : std::uint8_t { dropped, answered, pending };
  struct Now {
    Outcome outcome = Outcome::dropped;
    std::size_t size = 0;  ///< bytes written into `out`; answered only
    Query query;           ///< pending only: for answer_later()
  };
  /// Answers what can be answered without waiting. `out` needs kMinReplyRoom and takes at most
  /// reply_limit() bytes.
  [[nodiscard]] Now answer_now(ByteView packet, const Endpoint& from, Transport transport,
                               ByteSpan out);
  /// For a query that answer_now() left pending. Dropped when too many wait already (false).
  bool answer_later(const Query& query, Transport transport, std::shared_ptr<ReplyPath> path);

 private:
  /// What is to be done for a query. `name` and `aliases` count while aliases were followed.
  struct Plan {
    enum class Step : std::uint8_t { reply, bind, forward };
    Step step = Step::forward;
    Cache::AnswerRef answer;  // reply
    TtlPolicy ttl;
    Query upstream;  // forward: the question at the end of the aliases
    std::vector<std::string> aliases;
    std::string name;  // bind
    IpAddress address;
  };
  [[nodiscard]] Plan plan(const Query& query);
  bool plan_reverse(const Query& query, std::string_view name, Plan& out) const;
  /// True when the plan is complete; otherwise out.upstream and out.aliases say how it goes on.
  bool plan_hosts(const Query& query, std::string_view name, Plan& out) const;
  bool plan_fake(const Query& query, std::string_view name, Plan& out);
  void plan_cached(const Query& query, Plan& out);
  Task<void> work(Query query, Transport transport, std::shared_ptr<ReplyPath> path);
  Task<Plan> forward(Query query, Plan plan);

  Loop& loop_;
  Forwarder& forwarder_;
  FakeIp& fake_;
  const OwnSockets& own_;
  const Hosts* hosts_ = nullptr;
  bool use_hosts_ = true;
  bool ipv6_ = false;
  std::uint32_t fake_ttl_s_ = 1;
  TaskSet tasks_;
};

}  // namespace sluice::dns
