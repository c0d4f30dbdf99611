// flow/session.h - one client port's traffic through one outbound.
//
// A session owns the packet end; all destinations that the rules send through the same leaf share
// it, so the world sees one source port (endpoint-independent mapping), and whoever answers reaches
// the client (endpoint-independent filtering). Two destinations that would answer from the same
// place, and that the client knows by different addresses, never share one: see ReplyPath.
//
// Owner: the association. Thread: its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/flow/decide.h"
#include "dataplane/flow/endpoint_index.h"
#include "dataplane/flow/flow.h"
#include "dataplane/transport/packet_end.h"

namespace sluice::flow {

class Association;

/// Where a destination's replies come from, and by which address the client knows it.
struct ReplyPath {
  Endpoint real;         ///< ip invalid: only the proxy will know
  bool by_name = false;  ///< a proxy resolves it: any address with this port may be its
  Endpoint shown;        ///< ip invalid: replies are shown as they come
};

class Session final : private transport::PacketSink, private WatchSink, public frame_pool::Pooled {
 public:
  enum class State : std::uint8_t { opening, open, closed };

  Session(Association& association, std::uint32_t leaf) noexcept
      : association_(association), leaf_(leaf) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] std::uint32_t leaf() const noexcept { return leaf_; }
  [[nodiscard]] transport::PacketEnd* end() noexcept { return end_.get(); }

  /// Starts opening; targets that wait are flushed when it is done.
  void open(PinnedSnapshot snapshot);
  /// The record for traffic of this session that one rule decided; made on first use.
  Flow& flow_for(const Decision& decision, const Request& request);
  /// False when a reply on `path` could be taken for one of another destination.
  [[nodiscard]] bool can_tell(const ReplyPath& path) const noexcept;
  /// Replies on `path` are shown and counted accordingly from here on. `flow`: of this session.
  void expect(const ReplyPath& path, Flow& flow);
  /// Somebody closed one of its flows.
  [[nodiscard]] bool cancelled() const noexcept;
  void close(CloseCause cause);

 private:
  /// How a reply looks to the client, and whose it is.
  struct Origin : frame_pool::Pooled {
    Endpoint real;   ///< ip invalid: any address with this port, for what a proxy resolves
    Endpoint shown;  ///< ip invalid: as it came
    Flow* flow = nullptr;
  };
  struct RealOf {
    const Endpoint& operator()(const Origin& origin) const noexcept { return origin.real; }
  };

  Task<void> open_end(PinnedSnapshot snapshot);
  void on_packets(std::span<Packet> packets) noexcept override;
  void on_unreachable(const Endpoint& to, Unreachable why) noexcept override;
  void on_closed(Error reason) noexcept override;
  /// Somebody closed one of its flows.
  void on_ready() noexcept override;
  void expect(const Endpoint& real, const Endpoint& shown, Flow& flow);
  Origin* origin_of(const Endpoint& source) noexcept;

  Association& association_;
  std::uint32_t leaf_;
  State state_ = State::opening;
  std::unique_ptr<transport::PacketEnd> end_;
  std::vector<std::unique_ptr<Flow>> flows_;  ///< one per deciding rule; the first is the default
  EndpointIndex<Origin, RealOf> origins_;     ///< owns them
  Origin* last_origin_ = nullptr;             ///< of the last reply: a burst looks nothing up
  Task<void> opening_;
};

}  // namespace sluice::flow
