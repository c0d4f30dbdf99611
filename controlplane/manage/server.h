// manage/server.h - the one gRPC server of the control plane, on manage.sock.
//
//   owner's loop: listener() readable ── accept_ready() ── admit? ── gRPC ── completion thread
//                                                            └── no: closed, one log line
//
// gRPC never listens itself: it neither checks peers nor sets modes. Owns the socket file, the
// completion thread and all calls. Thread: start, accept_ready and stop on the owner's thread; the
// Service is called on the completion thread.
#pragma once

#include <memory>
#include <string>

#include "controlplane/manage/admit.h"
#include "controlplane/manage/service.h"
#include "proto/common/result.h"

namespace sluice::manage {

class Server {
 public:
  /// Listens on `path` with mode 0660 and, when the policy has one, its group. `service` outlives
  /// the server. Errors: exists (another control plane serves there), too_large (path), system.
  static Result<std::unique_ptr<Server>> start(const std::string& path, const AdmitPolicy& policy,
                                               Service& service);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// To be polled for reading.
  [[nodiscard]] int listener() const noexcept;
  /// Takes every connection that waits. Errors: no_descriptors (poll again after a while), system.
  Status accept_ready();
  /// Answers open calls "unavailable", waits kStopGrace at most, removes the socket file. Called by
  /// the destructor; twice is fine.
  void stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::manage
