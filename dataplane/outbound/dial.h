// outbound/dial.h - opens a stream or a packet end through one leaf outbound.
//
// Thread: the worker's. Owner of what comes back: the caller (a flow, an association).
#pragma once

#include <memory>
#include <string>

#include "dataplane/outbound/keys.h"
#include "dataplane/outbound/resolver.h"
#include "dataplane/transport/end.h"
#include "dataplane/transport/packet_end.h"
#include "dataplane/worker/worker.h"
#include "proto/contract/manifest.h"

namespace sluice::outbound {

/// What dialling needs. The manifest must stay pinned until the task has ended.
struct DialContext {
  Worker* worker = nullptr;
  NameResolver* names = nullptr;
  Keys* keys = nullptr;
  const contract::Manifest* manifest = nullptr;
  std::uint32_t own_mark =
      0;  ///< SO_MARK that exempts our own sockets from capture; 0 = cannot mark
};

[[nodiscard]] inline KeepAlive keep_alive_of(const contract::Limits& limits) noexcept {
  return {limits.keep_alive, limits.keep_alive_idle_s, limits.keep_alive_interval_s};
}

struct Stream {
  std::unique_ptr<transport::End> end;
  Endpoint remote;                  ///< what was dialled: the destination or the proxy
  bool head_rides_payload = false;  ///< the protocol's head leaves with the first payload
};

/// Connects to `to` through the leaf. Errors: no_address, refused, unreachable, timeout, cancelled,
/// auth_failed, denied (the proxy said no), not_built; side upstream.
Task<Result<Stream>> dial(DialContext context, std::uint32_t leaf, Destination to, Until until);

/// A packet end through the leaf; where datagrams go is said per packet. Errors: as dial.
Task<Result<std::unique_ptr<transport::PacketEnd>>> open_packets(DialContext context,
                                                                 std::uint32_t leaf, Until until);

}  // namespace sluice::outbound
