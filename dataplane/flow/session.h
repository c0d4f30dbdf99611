// flow/session.h - one client port's traffic through one outbound.
//
// A session owns the packet end; all destinations that the rules send through the same leaf share
// it, so the world sees one source port (endpoint-independent mapping), and whoever answers reaches
// the client (endpoint-independent filtering).
//
// Owner: the association. Thread: its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dataplane/flow/decide.h"
#include "dataplane/flow/flow.h"
#include "dataplane/transport/packet_end.h"

namespace sluice::flow {

class Association;
struct Target;

class Session final : private transport::PacketSink, public frame_pool::Pooled {
 public:
  enum class State : std::uint8_t { opening, open, closed };

  Session(Association& association, std::uint32_t leaf) noexcept
      : association_(association), leaf_(leaf) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() = default;

  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] std::uint32_t leaf() const noexcept { return leaf_; }
  [[nodiscard]] transport::PacketEnd* end() noexcept { return end_.get(); }

  /// Starts opening; targets that wait are flushed when it is done.
  void open(PinnedSnapshot snapshot);
  /// The record for traffic of this session that one rule decided; made on first use.
  Flow& flow_for(const Decision& decision, const Request& request);
  /// Replies from `real` are shown to the client as coming from `shown`.
  void show_as(const Endpoint& real, const Endpoint& shown);
  /// Somebody closed one of its flows.
  [[nodiscard]] bool cancelled() const noexcept;
  void close(std::string_view reason);

 private:
  Task<void> open_end(PinnedSnapshot snapshot);
  void on_packets(std::span<Packet> packets) noexcept override;
  void on_closed(Error reason) noexcept override;
  void translate(Packet& packet);

  Association& association_;
  std::uint32_t leaf_;
  State state_ = State::opening;
  std::unique_ptr<transport::PacketEnd> end_;
  std::vector<std::unique_ptr<Flow>> flows_;  ///< one per deciding rule; the first is the default
  std::unordered_map<Endpoint, Endpoint, EndpointHash> shown_;
  Task<void> opening_;
};

}  // namespace sluice::flow
