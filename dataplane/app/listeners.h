// app/listeners.h - which listeners exist, and the step from one set to the next.
//
//   plan():   binds what is new; nothing that clients see has changed, and it can be dropped
//   commit(): opens the new ones, hands them to the workers, closes those that are gone
//
// A listener whose address, port, kind and datagrams stay the same keeps its sockets: no client
// notices. Owner: DataPlane. Thread: home.
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
    std::string name;
    contract::ListenerKind kind{};
    bool udp = false;
    capture::ListenerSockets sockets;
  };
  struct Plan {
    std::vector<Change> open;
    std::vector<std::string> close;  ///< gone for good
  };
  /// Errors: the place and the reason of the first listener that does not bind.
  [[nodiscard]] std::expected<Plan, route::Refusal> plan(
      const std::vector<contract::Listener>& wanted) const;
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
    std::string error;
  };
  void open(Change change);

  DescriptorTable& table_;
  ListenerPort& port_;
  unsigned workers_;
  std::map<std::string, Live> live_;
};

}  // namespace sluice::app
