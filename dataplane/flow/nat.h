// flow/nat.h - the UDP NAT of one worker: client endpoint -> association -> destinations.
//
//   batch receive ─> forward() per datagram ─> flush(): one send per packet end and batch
//
// The kernel keeps one client endpoint on one worker, so no table is shared. Bounded for all and
// for each client address: whoever was idle longest makes room, found in O(1) since mappings lie in
// the order of their last use. Idle ones are swept in batches, never re-armed per packet. A bound
// of the manifest is shared out evenly to the workers, as the kernel spreads the clients' ports.
//
// Owner: the engine. Thread: its worker.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "dataplane/flow/association.h"
#include "dataplane/flow/nat_counts.h"
#include "proto/runtime/net/packet_room.h"

namespace sluice::flow {

class Nat final : private Timer {
 public:
  explicit Nat(Engine& engine);
  Nat(const Nat&) = delete;
  Nat& operator=(const Nat&) = delete;
  ~Nat() override;

  /// One datagram of `facts.source` to `to`. Views must stay valid until flush(), which must follow
  /// before the batch they lie in receives again. `facts.destination` is not looked at.
  void forward(ClientSide& side, const Request& facts, const Destination& to, Packet& packet);
  void flush();
  /// `side` is about to die: its associations end.
  void forget(ClientSide& side, CloseCause cause);
  /// Ends every association.
  void close_all(CloseCause cause);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Associations that the current snapshot allows this worker.
  [[nodiscard]] std::size_t bound() noexcept { return share().mappings; }
  [[nodiscard]] NatCounts counts() const noexcept;
  /// Datagrams that a client's side could not pass on.
  void count_dropped(std::size_t datagrams) noexcept { counts_.dropped += datagrams; }

 private:
  /// What the manifest allows this worker.
  struct Share {
    std::size_t mappings;
    std::size_t of_client;
    Millis idle;
    Millis question_idle;
  };

  void fire() noexcept override;
  [[nodiscard]] Share share() noexcept;
  /// nullptr: a new client whom `side` does not serve.
  Association* association(ClientSide& side, const Request& facts);
  Association* admit(ClientSide& side, const Request& facts);
  void make_room(MappingClient& client);
  [[nodiscard]] Association* oldest() noexcept;
  void end(Association& mapping, CloseCause cause);
  void end_idle(UseOrder& order, Millis idle);
  void warn_crowded(const char* whose);

  Engine& engine_;
  MappingOrders orders_;  ///< owns the associations
  std::unordered_map<IpAddress, MappingClient, IpAddressHash> clients_;
  std::size_t count_ = 0;
  // The last association: a burst of one client looks nothing up.
  ClientSide* last_side_ = nullptr;
  Association* last_ = nullptr;
  transport::PacketEnd* batch_end_ = nullptr;
  std::array<transport::OutPacket, kSendBatch> batch_{};
  std::size_t batch_count_ = 0;
  PacketRoom room_;  ///< of packets in the batch
  NatCounts counts_;
  Moment quiet_until_{};
};

}  // namespace sluice::flow
