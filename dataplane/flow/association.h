// flow/association.h - one client endpoint behind one way in: its destinations and sessions.
//
//   client port ──┬─ Target 192.0.2.1:53  ─┐
//                 ├─ Target 198.51.100.7:1 ├─> Session "DIRECT"  (one packet end)
//                 └─ Target game.test:9999 ──> Session "hk-03"
//
// Each destination is decided once, so rules hold per destination although the mapping does not
// depend on it. Destinations whose replies could not be told apart get sessions of their own.
// Owner: Nat. Thread: its worker.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataplane/flow/client_side.h"
#include "dataplane/flow/endpoint_index.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/mapping_orders.h"
#include "dataplane/flow/named_port.h"
#include "dataplane/flow/session.h"
#include "proto/runtime/buffer/slice.h"

namespace sluice::flow {

class DatagramStart;

/// One destination of a client port.
struct Target : frame_pool::Pooled {
  enum class State : std::uint8_t { deciding, waiting, ready, dropped };
  State state = State::deciding;
  Endpoint asked;    ///< what it is found by; ip invalid where the client names it
  Endpoint shown;    ///< as the client wrote it, when it wrote an address
  Destination real;  ///< what the packet end is given
  Session* session = nullptr;
  Flow* flow = nullptr;
  Moment sent_at{};
  Moment retry_at{};               ///< a dropped destination is decided again from here on
  std::vector<Slice> kept;         ///< datagrams that came while it was being opened
  DatagramStart* start = nullptr;  ///< who looks at those, while somebody may
  Task<void> opening;
};

struct AskedOf {
  const Endpoint& operator()(const Target& target) const noexcept { return target.asked; }
};

class Association final : public UseOrder::Member, public frame_pool::Pooled {
 public:
  /// Becomes the newest of `orders` and of `client`, which must outlive it.
  Association(Engine& engine, ClientSide& side, MappingOrders& orders, MappingClient& client,
              Request facts) noexcept;
  Association(const Association&) = delete;
  Association& operator=(const Association&) = delete;
  ~Association();

  /// The target for a destination; a new one is being decided when this returns, by the DSCP of
  /// the datagram that asks for it.
  Target& target(const Destination& to, std::optional<std::uint8_t> dscp);
  /// Sends, keeps or drops one datagram that is not part of a batch.
  void keep(Target& target, const Packet& packet);
  /// Passes what was kept while `target` was opening.
  void flush(Target& target);
  /// A session became usable or died.
  void session_changed(Session& session);
  /// A session closed or was cancelled: the next sweep drops it.
  void mark_stale() noexcept { orders_.stale.touch(in_stale_); }
  /// Drops sessions that were closed or cancelled. Called from the sweep, never from inside one.
  void sweep();
  /// Ends everything, with a reason for the flow records.
  void close(CloseCause cause);

  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  [[nodiscard]] ClientSide& side() noexcept { return side_; }
  [[nodiscard]] const Endpoint& client() const noexcept { return facts_.source; }
  [[nodiscard]] MappingClient& owner() noexcept { return owner_; }
  /// Either direction keeps the mapping. The order is exact to one turn of the loop.
  void touch() noexcept {
    const Moment now = engine_.worker().loop().now();
    if (now == last_used_) return;
    last_used_ = now;
    enter_orders();
  }
  /// A datagram leaves for `port`: a mapping that only asks a few questions ends sooner.
  void count_sent(std::uint16_t port) noexcept {
    if (!brief_ || (is_question_port(port) && ++questions_ <= kQuestions)) return;
    brief_ = false;
    enter_orders();
  }
  [[nodiscard]] Moment last_used() const noexcept { return last_used_; }

 private:
  void enter_orders() noexcept {
    (brief_ ? orders_.brief : orders_.lasting).touch(*this);
    owner_.mappings.touch(in_owner_);
  }
  Target& known(const Destination& to, bool& fresh);
  void start(Target& target, const Destination& to, std::optional<std::uint8_t> dscp);
  Task<void> open_target(Target& target, Request request);
  Session& session_for(const Decision& decision, const ReplyPath& path);

  Engine& engine_;
  ClientSide& side_;
  MappingOrders& orders_;
  MappingClient& owner_;
  MappingPlace in_owner_{*this};
  MappingPlace in_stale_{*this};
  Request facts_;  ///< network, inbound, user, source; the rest is filled per target
  Moment last_used_{};
  bool brief_ = true;
  unsigned questions_ = 0;
  EndpointIndex<Target, AskedOf> by_address_;  ///< owns its targets
  std::unordered_map<NamedPort, std::unique_ptr<Target>, NamedPortHash, std::equal_to<>> by_name_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

struct ClientOf {
  const Endpoint& operator()(const Association& mapping) const noexcept { return mapping.client(); }
};

}  // namespace sluice::flow
