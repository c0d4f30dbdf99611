// flow/engine.h - everything that lives on one worker because of flows.
//
//   Acceptor / Nat ──> serve() ──> decide() ──> outbound::dial ──> Relay ──> ~Flow
//
// Owner: dataplane/app, one per worker. Thread: its worker; made before the worker's thread starts,
// destroyed on the worker after its loop has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/flow/bindings.h"
#include "dataplane/flow/flow_table.h"
#include "dataplane/flow/names.h"
#include "dataplane/flow/nat_counts.h"
#include "dataplane/flow/owners.h"
#include "dataplane/flow/sniff_room.h"
#include "dataplane/flow/unbuilt_log.h"
#include "dataplane/kernel/neighbours.h"
#include "dataplane/outbound/keys.h"
#include "dataplane/route/needs.h"
#include "dataplane/route/snapshot.h"
#include "dataplane/worker/worker.h"
#include "proto/contract/counters.h"

namespace sluice::flow {

class DialService;
class ListenerSet;
class Nat;

using PinnedSnapshot = Pinned<route::Snapshot>;

/// What a worker says about itself each second.
struct EngineTotals {
  std::uint64_t open_flows = 0;
  std::uint64_t upload = 0;    ///< bytes since start
  std::uint64_t download = 0;  ///< bytes since start
  NatCounts udp;
};

/// Gets what engines report about once a second. Called on the worker's thread; must not block.
class EngineSink {
 public:
  virtual void counted(unsigned worker, EngineTotals totals,
                       std::vector<contract::CounterDelta> deltas) noexcept = 0;
  /// Final states, only while flows are watched.
  virtual void flows_closed(std::vector<contract::FlowInfo> flows) noexcept = 0;

 protected:
  ~EngineSink() = default;
};

/// Endpoints of our own listeners, for loop detection. Shared by all workers, replaced whole.
struct OwnEndpoints {
  std::vector<Endpoint> listeners;  ///< an unspecified address stands for every local one
  std::vector<IpAddress> local;     ///< addresses of this machine
  [[nodiscard]] bool contains(const Endpoint& destination) const noexcept;
  /// Whether a flow from this address was started by this machine.
  [[nodiscard]] bool is_local(const IpAddress& address) const noexcept;
};

/// Neighbours' hardware addresses. Shared by all workers, replaced whole.
using SharedNeighbours = std::shared_ptr<const kernel::NeighbourTable>;

class Engine final : private Timer {
 public:
  Engine(Worker& worker, unsigned workers, NameSource& names, EngineSink& sink);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() override;

  Worker& worker() noexcept { return worker_; }
  [[nodiscard]] unsigned worker_index() const noexcept { return worker_.index(); }
  [[nodiscard]] unsigned worker_count() const noexcept { return workers_; }
  FlowTable& flows() noexcept { return flows_; }
  NameService& names() noexcept { return names_; }
  OwnerService& owners() noexcept { return owners_; }
  BindingTable& bindings() noexcept { return bindings_; }
  outbound::Keys& keys() noexcept { return keys_; }
  UnbuiltLog& unbuilt() noexcept { return unbuilt_; }
  SniffRoom& sniffing() noexcept { return sniffing_; }
  Nat& nat() noexcept { return *nat_; }
  ListenerSet& listeners() noexcept { return *listeners_; }
  /// The current snapshot, pinned; empty before the first one.
  [[nodiscard]] PinnedSnapshot pin() noexcept { return PinnedSnapshot(worker_.snapshots()); }

  /// Owns dial.sock's service, on the worker that has it.
  void keep(std::unique_ptr<DialService> dial) noexcept;
  void apply_bindings(const SharedBatch& batch);
  void set_own_endpoints(std::shared_ptr<const OwnEndpoints> own) noexcept {
    own_ = std::move(own);
  }
  [[nodiscard]] bool is_own(const Endpoint& destination) const noexcept {
    return own_ != nullptr && own_->contains(destination);
  }
  [[nodiscard]] bool is_local(const IpAddress& address) const noexcept {
    return address.is_loopback() || (own_ != nullptr && own_->is_local(address));
  }
  /// What the rules compare that must be looked for; at least what those of the current snapshot
  /// do.
  void set_needs(const route::FactNeeds& needs) noexcept;
  [[nodiscard]] const route::FactNeeds& needs() const noexcept { return needs_; }
  /// nullptr while no rule compares hardware addresses.
  void set_neighbours(SharedNeighbours neighbours) noexcept { neighbours_ = std::move(neighbours); }
  [[nodiscard]] const kernel::NeighbourTable* neighbours() const noexcept {
    return neighbours_.get();
  }
  /// SO_MARK of our own sockets; 0 without the privilege to set one. Set once, before start.
  void set_own_mark(std::uint32_t mark) noexcept { own_mark_ = mark; }
  [[nodiscard]] std::uint32_t own_mark() const noexcept { return own_mark_; }
  /// Reports what is counted so far; for a clean stop.
  void report();

 private:
  void fire() noexcept override;

  Worker& worker_;
  unsigned workers_;
  EngineSink& sink_;
  FlowTable flows_;
  NameService names_;
  OwnerService owners_;
  BindingTable bindings_;
  outbound::Keys keys_;
  UnbuiltLog unbuilt_;
  SniffRoom sniffing_;
  std::shared_ptr<const OwnEndpoints> own_;
  SharedNeighbours neighbours_;
  route::FactNeeds needs_;
  std::uint32_t own_mark_ = 0;
  std::unique_ptr<Nat> nat_;
  std::unique_ptr<DialService> dial_;
  std::unique_ptr<ListenerSet> listeners_;  ///< destroyed first: its sockets use the NAT
};

}  // namespace sluice::flow
