// dns/pool/fake_ip.h - which names get fake addresses, and when an answer may carry one.
//
//   lookup(name) ─> ready(address)                       the data plane holds it: answer now
//                └> waiting ─ settle() ─> ok: answer     its binding is on the way
//                                      └> error: answer real addresses with a short TTL
//
// Bindings that are asked for in one turn of the loop travel in one change; while a change is on
// its way the next one gathers. Decision: docs/decisions/fake-ip-ack.md.
//
// Owner: Dns. Thread: the DNS loop's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/dns/binding_sink.h"
#include "controlplane/dns/names/name_patterns.h"
#include "controlplane/dns/options.h"
#include "controlplane/dns/pool/fake_pool.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/ready.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait_list.h"

namespace sluice::dns {

class FakeIp final : private Ready {
 public:
  FakeIp(Loop& loop, BindingSink& sink);
  ~FakeIp() override;

  /// Pools whose range and bound stay keep their names.
  void configure(const DnsOptions& options);
  /// Mode fake-ip is on and the filter lets the name (normal form) have a fake address.
  [[nodiscard]] bool wants(std::string_view name) const noexcept;
  [[nodiscard]] bool enabled() const noexcept { return enabled_; }
  /// Neither pool may ever be part of a real answer.
  [[nodiscard]] bool contains(const IpAddress& address) const noexcept;
  /// The name at a pool's address; empty when there is none.
  [[nodiscard]] std::string_view name_of(const IpAddress& address) const noexcept;
  [[nodiscard]] bool has_pool(Family family) const noexcept;

  enum class State : std::uint8_t { none, ready, waiting };
  struct Lookup {
    State state = State::none;  ///< none: no pool of this family, or no room in it
    IpAddress address;
  };
  /// Reserves an address for the name if it has none.
  [[nodiscard]] Lookup lookup(std::string_view name, Family family);
  /// Until the data plane holds the address that lookup() gave. Errors: timeout; cancelled when the
  /// data plane left or refused, or the name lost the address meanwhile.
  [[nodiscard]] Task<Status> settle(std::string name, IpAddress address, Until until);

  /// Real addresses of a name that has a fake one; the data plane uses them while it cannot ask.
  void remember_real(std::string_view name, const std::vector<IpAddress>& addresses);

  /// The data plane holds exactly all_bindings(), e.g. after a batch with `replace`.
  void data_plane_ready();
  /// Waiting answers fail; until data_plane_ready() nothing is reserved.
  void data_plane_away();
  [[nodiscard]] bool data_plane_is_ready() const noexcept { return ready_; }

  [[nodiscard]] std::vector<contract::Binding> all_bindings() const;
  /// Puts stored pairs back, oldest first; those that no pool takes are dropped.
  void restore(const std::vector<contract::Binding>& bindings, std::uint32_t next_v4,
               std::uint32_t next_v6);
  [[nodiscard]] std::uint32_t next(Family family) const noexcept;
  /// Names with addresses in all pools, and how many they hold at most.
  [[nodiscard]] std::size_t count() const noexcept;
  [[nodiscard]] std::size_t max_count() const noexcept;

 private:
  struct InFlight {
    std::uint64_t number = 0;
    std::vector<contract::Binding> sent;
    std::vector<IpAddress> removed;
  };
  void run() noexcept override { send_next(); }
  void enqueue(FakePool::Entry& entry, const IpAddress& address);
  void forget_queue() noexcept;
  void send_next();
  void finished(std::uint64_t number, const Status& outcome);
  void drop_pool(FakePool& pool);
  [[nodiscard]] FakePool* pool_of(Family family) noexcept;
  [[nodiscard]] FakePool* pool_with(const IpAddress& address) noexcept;
  void reconfigure(std::optional<FakePool>& pool, const std::optional<Prefix>& range,
                   std::size_t max_count);

  Loop& loop_;
  BindingSink& sink_;
  bool enabled_ = false;
  bool ready_ = false;
  bool whitelist_ = false;
  NamePatterns filter_;
  std::optional<FakePool> v4_;
  std::optional<FakePool> v6_;
  std::vector<IpAddress> dirty_;  // to be sent, oldest first
  std::vector<IpAddress> removed_;
  std::optional<InFlight> in_flight_;
  std::uint64_t changes_ = 0;
  WaitList settled_;                // woken after every change; waiters look whether it was theirs
  std::shared_ptr<FakeIp*> alive_;  // what a late Done finds empty
};

}  // namespace sluice::dns
