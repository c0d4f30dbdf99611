// flow/listener_set.h - a worker's share of all listeners, by name.
//
// Owner: the engine. Thread: its worker.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataplane/flow/acceptor.h"
#include "dataplane/flow/tproxy_udp.h"

namespace sluice::flow {

/// Descriptors of one listener for one worker; invalid where it has none.
struct ListenerShare {
  Entrance entrance;
  UniqueFd tcp;
  UniqueFd udp;
};

class ListenerSet {
 public:
  explicit ListenerSet(Engine& engine) noexcept : engine_(engine) {}
  /// Starts serving; replaces a former listener of the name. What waits in that one's sockets is
  /// served first: datagrams by the new one, connections as clients of the former. Errors are
  /// logged: the descriptor exists, so only memory or descriptors can be missing.
  void open(ListenerShare share);
  void close(const std::string& name);
  void close_all();
  /// Whether datagrams bring their DSCP.
  void report_dscp(bool on) noexcept;

 private:
  struct Entry {
    std::unique_ptr<Acceptor> tcp;
    std::unique_ptr<TproxyUdp> udp;
  };
  Engine& engine_;
  std::unordered_map<std::string, Entry> by_name_;
};

}  // namespace sluice::flow
