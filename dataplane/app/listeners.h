// app/listeners.h - which listeners exist, and the step from one set to the next.
//
//   plan():   binds what is new, with a share for each worker; nothing that clients see has
//             changed, and it can be dropped
//   open():   the new ones listen where we had no port: clients that come now wait in them, and
//             may still be turned away
//   join():   the others listen, beside the old sockets of their ports: no way back from here
//   quiet():  old sockets that are in the way of new ones meet no new clients any more
//   commit(): hands the shares to the workers, closes those that are gone; cannot fail
//
// No client is lost on the way. A listener that stays at its address, or takes that of another one,
// gets the very sockets that are there: clients who wait in them are served by the new one. Where
// the address changes but not the port (allow-lan), the old sockets close once the clients whom
// they had met are taken in; who comes meanwhile is not answered, and its second SYN, a second
// later, meets the new socket.
//
// Owner: DataPlane. Thread: home.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "dataplane/app/descriptor_table.h"
#include "dataplane/capture/listener_sockets.h"
#include "dataplane/route/snapshot.h"
#include "proto/contract/manifest.h"
#include "proto/contract/status.h"

namespace sluice::app {

/// How workers are told. Implemented by DataPlane.
class ListenerPort {
 public:
  virtual void open_on(unsigned worker, contract::ListenerKind kind, const std::string& name,
                       UniqueFd tcp, UniqueFd udp) = 0;
  virtual void close_everywhere(const std::string& name) = 0;

 protected:
  ~ListenerPort() = default;
};

class Listeners {
 public:
  Listeners(DescriptorTable& table, ListenerPort& port, unsigned workers) noexcept
      : table_(table), port_(port), workers_(workers) {}

  struct Change {
    std::string place;  ///< of its port in the manifest
    std::string name;
    contract::ListenerKind kind{};
    bool udp = false;
    capture::ListenerSockets sockets;  ///< for the table
    capture::ListenerSockets shares;   ///< duplicates of them for the workers
    bool ours = false;        ///< a live listener has this port: clients come to it all the time
    bool taken_over = false;  ///< `sockets` listen already: duplicates of those of a live listener
  };
  struct Plan {
    std::vector<Change> open;
    std::vector<std::string> close;  ///< gone for good
  };
  /// Errors: the place and the reason of the first listener that does not bind.
  [[nodiscard]] std::expected<Plan, route::Refusal> plan(
      const std::vector<contract::Listener>& wanted) const;
  /// Errors of both: place and reason of the first that cannot listen; drop the plan then.
  [[nodiscard]] std::expected<void, route::Refusal> open(const Plan& plan) const;
  [[nodiscard]] std::expected<void, route::Refusal> join(const Plan& plan) const;
  /// True when clients are kept waiting now: commit() then follows in a moment.
  [[nodiscard]] bool quiet(const Plan& plan) const;
  void commit(Plan plan);
  void close_all();
  [[nodiscard]] std::vector<contract::ListenerState> states() const;
  /// Where clients come in: for loop detection.
  [[nodiscard]] std::vector<Endpoint> endpoints() const;

 private:
  struct Live {
    contract::ListenerKind kind{};
    Endpoint at;
    bool udp = false;
  };
  [[nodiscard]] Result<Change> prepare(const contract::Listener& wanted) const;
  [[nodiscard]] Result<capture::ListenerSockets> sockets_of(const std::string& name,
                                                            bool udp) const;
  [[nodiscard]] std::expected<void, route::Refusal> listen(const Plan& plan, bool ours) const;
  void hand_out(Change change);

  DescriptorTable& table_;
  ListenerPort& port_;
  unsigned workers_;
  std::map<std::string, Live> live_;
};

}  // namespace sluice::app
