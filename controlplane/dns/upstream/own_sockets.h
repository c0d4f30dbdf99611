// dns/upstream/own_sockets.h - how a query that comes back to us is known.
//
// Two ways: before sending, a server that is one of our listeners is refused; on arrival, a query
// whose sender is a socket that asks a server right now is our own, whatever led it here.
//
// Owner: Dns. Thread: the DNS loop's.
#pragma once

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "controlplane/dns/names/own_addresses.h"
#include "proto/common/address.h"

namespace sluice::dns {

class OwnSockets {
 public:
  /// While it lives, `local` counts as ours.
  class Asking {
   public:
    Asking(OwnSockets& own, const Endpoint& local) : own_(own), local_(local) {
      own_.asking_.insert(local_);
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() {
      const auto hit = own_.asking_.find(local_);
      if (hit != own_.asking_.end()) own_.asking_.erase(hit);
    }

   private:
    OwnSockets& own_;
    Endpoint local_;
  };

  /// The sender of a query.
  [[nodiscard]] bool is_asking(const Endpoint& from) const noexcept {
    return asking_.contains(from);
  }
  void set_listeners(std::vector<Endpoint> listeners) { listeners_ = std::move(listeners); }
  /// True when a query to `server` would reach one of our listeners.
  [[nodiscard]] bool is_listener(const Endpoint& server) const {
    return std::ranges::any_of(listeners_, [&](const Endpoint& at) {
      if (at.port != server.port) return false;
      if (at.ip == server.ip) return true;
      return at.ip.is_unspecified() &&
             (server.ip.is_loopback() || server.ip.is_unspecified() || is_own_address(server.ip));
    });
  }

 private:
  static bool is_own_address(const IpAddress& ip) {
    const auto own = own_addresses();
    return std::ranges::find(own, ip) != own.end();
  }

  std::unordered_multiset<Endpoint, EndpointHash> asking_;
  std::vector<Endpoint> listeners_;
};

}  // namespace sluice::dns
