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
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataplane/flow/client_side.h"
#include "dataplane/flow/session.h"
#include "dataplane/flow/use_order.h"
#include "proto/runtime/buffer/slice.h"

namespace sluice::flow {

class DatagramStart;

/// One destination of a client port.
struct Target {
  enum class State : std::uint8_t { deciding, waiting, ready, dropped };
  State state = State::deciding;
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

class Association final : public UseOrder::Member, public frame_pool::Pooled {
 public:
  /// Becomes the newest of `order`, which must outlive it.
  Association(Engine& engine, ClientSide& side, UseOrder& order, Request facts) noexcept
      : engine_(engine), side_(side), order_(order), facts_(std::move(facts)) {
    touch();
  }
  Association(const Association&) = delete;
  Association& operator=(const Association&) = delete;

  /// The target for a destination; a new one is being decided when this returns, by the DSCP of
  /// the datagram that asks for it.
  Target& target(const Destination& to, std::optional<std::uint8_t> dscp);
  /// Sends, keeps or drops one datagram that is not part of a batch.
  void keep(Target& target, const Packet& packet);
  /// Passes what was kept while `target` was opening.
  void flush(Target& target);
  /// A session became usable or died.
  void session_changed(Session& session);
  /// Drops sessions that were closed or cancelled. Called from the sweep, never from inside one.
  void sweep();
  /// Ends everything, with a reason for the flow records.
  void close(CloseCause cause);

  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  [[nodiscard]] ClientSide& side() noexcept { return side_; }
  [[nodiscard]] const Endpoint& client() const noexcept { return facts_.source; }
  void touch() noexcept {
    last_used_ = engine_.worker().loop().now();
    order_.touch(*this);
  }
  [[nodiscard]] Moment last_used() const noexcept { return last_used_; }

 private:
  void start(Target& target, const Destination& to, std::optional<std::uint8_t> dscp);
  Task<void> open_target(Target& target, Request request);
  Session& session_for(const Decision& decision, const ReplyPath& path);

  Engine& engine_;
  ClientSide& side_;
  UseOrder& order_;
  Request facts_;  ///< network, inbound, user, source; the rest is filled per target
  Moment last_used_{};
  std::unordered_map<Endpoint, Target, EndpointHash> by_address_;
  std::unordered_map<std::string, Target> by_name_;  ///< "name:port"
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace sluice::flow
