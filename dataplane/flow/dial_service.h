// flow/dial_service.h - dial.sock: how the control plane reaches the world through an outbound.
//
//   Unix socket ── SOCKS5, the user name picks the outbound ──> CONNECT: a flow of type Inner
//               without one (method 0) the rules decide    └──> 0x83: length-framed datagrams
//
// Before the first snapshot there is neither, and no method will do (0xff): what a client may take
// for an invitation to go its own way. A stream that merely ends is none.
// Only one uid may connect; everybody else is closed before a byte is read.
// Owner: the engine of worker 0. Thread: that worker.
#pragma once

#include <sys/types.h>

#include <memory>

#include "dataplane/flow/engine.h"
#include "proto/runtime/net/socket.h"

namespace sluice::flow {

class DialService final : private WatchSink, private Ready, private Timer {
 public:
  /// `listener`: a listening, non-blocking Unix socket. Errors: system.
  static Result<std::unique_ptr<DialService>> make(Engine& engine, UniqueFd listener,
                                                   uid_t allowed);

 private:
  DialService(Engine& engine, Socket socket, uid_t allowed) noexcept
      : engine_(engine), socket_(std::move(socket)), allowed_(allowed) {}
  void on_ready() noexcept override { accept_some(); }
  void run() noexcept override { accept_some(); }
  void fire() noexcept override { accept_some(); }
  void accept_some() noexcept;

  Engine& engine_;
  Socket socket_;
  uid_t allowed_;
};

}  // namespace sluice::flow
