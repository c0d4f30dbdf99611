// dns/dns.h - the DNS room from outside: names for the LAN and for the data plane.
//
//   LAN ─ Listeners ─> Responder ─┬─ Hosts
//                                 ├─ FakeIp ── BindingSink ─> data plane, store
//   data plane ─> Resolver ───────┴─> Forwarder ─ Cache ─> servers
//
// Owner: app. Thread: everything runs on one loop; other threads post jobs to it. Destroy it on
// that loop's thread, before the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "controlplane/dns/binding_sink.h"
#include "controlplane/dns/options.h"
#include "controlplane/dns/server/listeners.h"
#include "proto/contract/manifest.h"
#include "proto/contract/memory_report.h"
#include "proto/contract/names.h"
#include "proto/runtime/loop/loop.h"

namespace sluice::dns {

class Dns {
 public:
  /// `sink` must outlive it.
  Dns(Loop& loop, BindingSink& sink);
  Dns(const Dns&) = delete;
  Dns& operator=(const Dns&) = delete;
  ~Dns();

  /// Makes `options` true and changes only what differs: sockets, cache and fake addresses that are
  /// not touched by the difference stay.
  std::vector<ListenProblem> apply(const DnsOptions& options);
  [[nodiscard]] std::vector<contract::DnsPort> hijack_ports() const;
  [[nodiscard]] std::optional<Endpoint> listen_address() const;

  /// A question of the data plane. `done` runs on the loop, perhaps before this returns; never
  /// after the Dns is gone.
  void resolve(contract::NameQuery query, std::function<void(contract::NameAnswer)> done);

  /// Fake addresses from the store, oldest first; before the first data_plane_ready().
  void restore(const std::vector<contract::Binding>& bindings, std::uint32_t next_v4,
               std::uint32_t next_v6);
  /// Everything that a batch with `replace` must hold, oldest first. The store is given the same
  /// with `replace`: a change that was under way when the data plane left is in neither for sure.
  [[nodiscard]] std::vector<contract::Binding> bindings() const;
  [[nodiscard]] std::uint32_t next_offset(Family family) const noexcept;
  /// The data plane acknowledged a batch with `replace` that held bindings().
  void data_plane_ready();
  /// From now on real addresses with a TTL of at most 1 s instead of fake ones.
  void data_plane_away();

  /// The cache, fake addresses, questions under way.
  [[nodiscard]] contract::MemoryReport memory() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::dns
