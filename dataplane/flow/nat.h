// flow/nat.h - the UDP NAT of one worker: client endpoint -> association -> destinations.
//
//   batch receive ─> forward() per datagram ─> flush(): one send per packet end and batch
//
// The kernel keeps one client endpoint on one worker, so no table is shared. Bounded: the longest
// idle association goes first, found in O(1) since they lie in the order of their last use. Idle
// ones are swept in batches.
//
// Owner: the engine. Thread: its worker.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "dataplane/flow/association.h"

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
  void forget(const ClientSide& side, CloseCause cause);
  /// Ends every association.
  void close_all(CloseCause cause);
  [[nodiscard]] std::size_t count() const noexcept { return associations_.size(); }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  struct Key {
    const ClientSide* side;
    Endpoint client;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  void fire() noexcept override;
  /// nullptr: a new client whom `side` does not serve.
  Association* association(ClientSide& side, const Request& facts);
  void evict_oldest();

  Engine& engine_;
  UseOrder order_;  ///< outlives its members below
  std::unordered_map<Key, std::unique_ptr<Association>, KeyHash> associations_;
  // The last association and target: a burst of one client to one destination looks nothing up.
  Key last_key_{};
  Association* last_ = nullptr;
  transport::PacketEnd* batch_end_ = nullptr;
  std::array<transport::OutPacket, kDatagramBatch> batch_{};
  std::size_t batch_count_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace sluice::flow
