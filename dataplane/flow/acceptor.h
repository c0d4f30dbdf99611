// flow/acceptor.h - one worker's share of one TCP listener.
//
// Accepts until the kernel has no more or this turn's share is used. Out of descriptors: stops
// accepting, tries again shortly; clients wait in the backlog and lose nothing.
//
// Owner: the worker's listener set. Thread: its worker.
#pragma once

#include <memory>
#include <string>

#include "dataplane/flow/engine.h"
#include "proto/contract/manifest.h"
#include "proto/runtime/net/socket.h"

namespace sluice::flow {

/// What a client came through. `listener` names an entry of the manifest, or is kCaptureListener.
struct Entrance {
  contract::ListenerKind kind = contract::ListenerKind::mixed;
  std::string listener;
};

/// Name of the capture's own listeners in flow records.
inline constexpr std::string_view kCaptureListener = "capture";

class Acceptor final : private WatchSink, private Ready, private Timer {
 public:
  /// `fd`: listening, non-blocking. Errors: system.
  static Result<std::unique_ptr<Acceptor>> make(Engine& engine, UniqueFd fd, Entrance entrance);
  ~Acceptor() override = default;

  /// Serves all who wait in the backlog, before a successor takes the place of this one: those whom
  /// nobody accepts are reset when the socket closes. Out of descriptors it gives up.
  void drain() noexcept;

 private:
  Acceptor(Engine& engine, Socket socket, Entrance entrance)
      : engine_(engine), socket_(std::move(socket)), entrance_(std::move(entrance)) {}
  void on_ready() noexcept override { accept_some(); }
  void run() noexcept override { accept_some(); }
  void fire() noexcept override { accept_some(); }
  void accept_some() noexcept;
  enum class Accepted : std::uint8_t { one, nobody, later };
  /// Serves the next client, if he is still there; `later`: descriptors ran out.
  Accepted accept_next() noexcept;
  void warn(const Error& error);

  Engine& engine_;
  Socket socket_;
  Entrance entrance_;
  Moment quiet_until_{};
};

}  // namespace sluice::flow
