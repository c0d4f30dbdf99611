// flow/reply_sockets.h - sockets that answer TPROXY'd clients in the name of their destination.
//
// Unconnected, transparent, bound to the address the client wrote to, of either family. Cached by
// that address and bounded: the least recently used goes first, also when descriptors are scarce,
// and whoever has not been used for a while goes by itself.
// Owner: one TproxyUdp. Thread: its worker.
#pragma once

#include <cstdint>
#include <memory>

#include "dataplane/flow/endpoint_index.h"
#include "dataplane/flow/use_order.h"
#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/loop/frame_pool.h"
#include "proto/runtime/net/offload.h"

namespace sluice::flow {

struct ReplySocket : UseOrder::Member, frame_pool::Pooled {
  Endpoint source;
  UniqueFd fd;
  SegmentLimit segments;
  Moment used_at{};
};

class ReplySockets {
 public:
  ReplySockets(std::uint32_t mark, std::size_t bound) noexcept : mark_(mark), bound_(bound) {}
  ReplySockets(const ReplySockets&) = delete;
  ReplySockets& operator=(const ReplySockets&) = delete;
  ~ReplySockets();

  /// A socket that sends from `source`; stays the cache's and lives until the next get() at least.
  /// Errors: denied, no_descriptors, system.
  Result<ReplySocket*> get(const Endpoint& source, Moment now);
  /// Closes those that were not used for `idle`.
  void close_unused(Moment now, Millis idle) noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return by_source_.size(); }

 private:
  struct SourceOf {
    const Endpoint& operator()(const ReplySocket& socket) const noexcept { return socket.source; }
  };
  [[nodiscard]] ReplySocket* oldest() noexcept {
    return static_cast<ReplySocket*>(order_.oldest());
  }
  void close(ReplySocket& socket) noexcept;
  Result<UniqueFd> open(const Endpoint& source);

  std::uint32_t mark_;
  std::size_t bound_;
  UseOrder order_;  ///< owns them
  EndpointIndex<ReplySocket, SourceOf> by_source_;
};

}  // namespace sluice::flow
