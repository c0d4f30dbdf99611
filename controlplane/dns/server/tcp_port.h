// dns/server/tcp_port.h - one TCP listener and the clients it accepted.
//
// Owner: Listeners. Thread: the DNS loop's.
#pragma once

#include <cstddef>
#include <list>
#include <memory>

#include "controlplane/dns/server/responder.h"
#include "controlplane/dns/server/tcp_client.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/loop/task_set.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::dns {

class TcpPort final : public WatchSink, private Timer {
 public:
  /// Errors: system.
  static Result<std::unique_ptr<TcpPort>> make(Loop& loop, UniqueFd listener, Responder& responder);
  /// Clients are closed; answers they still wait for are dropped.
  ~TcpPort() override;

  [[nodiscard]] Endpoint local() const noexcept;
  [[nodiscard]] std::size_t client_count() const noexcept { return clients_.size(); }

 private:
  using Position = std::list<std::shared_ptr<TcpClient>>::iterator;
  TcpPort(std::unique_ptr<Watch> watch, Responder& responder)
      : watch_(std::move(watch)), responder_(responder), tasks_(watch_->loop()) {}
  void on_ready() noexcept override { accept_all(); }
  void fire() noexcept override { accept_all(); }
  void accept_all() noexcept;
  void take(UniqueFd fd, const Endpoint& from);
  Task<void> serve(Position client);

  std::unique_ptr<Watch> watch_;
  Responder& responder_;
  std::list<std::shared_ptr<TcpClient>> clients_;
  TaskSet tasks_;
};

}  // namespace sluice::dns
