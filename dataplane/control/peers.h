// control/peers.h - who gets in: accepts on contract.sock and checks credentials before gRPC.
//
// gRPC's completion queue cannot watch a descriptor of ours, so one thread sleeps in poll(2) on the
// listener and a stop event; it runs only when somebody connects. A refused peer is logged and
// closed before a byte of it is read.
#pragma once

#include <sys/types.h>

#include <functional>
#include <thread>
#include <vector>

#include "proto/common/unique_fd.h"
#include "proto/common/unix_socket.h"

namespace sluice::control {

class Peers {
 public:
  /// `admit` is called on the accepting thread with each connection that may stay.
  using Admit = std::function<void(UniqueFd, PeerCredentials)>;

  Peers(UniqueFd listener, std::vector<uid_t> allowed);
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  /// stop() must have been called if start() was.
  ~Peers();

  /// Starts accepting. `at_end` runs on the accepting thread after stop(), as its last act.
  void start(Admit admit, std::function<void()> at_end);
  /// Any thread, any number of times.
  void stop() noexcept;
  void join();

 private:
  void run(const Admit& admit);
  [[nodiscard]] bool wait(bool listening, int timeout_ms) const;
  void accept_one(const Admit& admit);

  UniqueFd listener_;
  std::vector<uid_t> allowed_;
  UniqueFd stop_;  ///< eventfd
  std::thread thread_;
};

}  // namespace sluice::control
