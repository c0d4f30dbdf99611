#include "controlplane/manage/server.h"

#include <grpcpp/server_posix.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "controlplane/manage/calls.h"
#include "controlplane/manage/hub.h"
#include "controlplane/manage/manage_limits.h"
#include "proto/common/log.h"
#include "proto/common/unix_socket.h"

namespace sluice::manage {
namespace {

constexpr mode_t kSocketMode = 0660;

/// The socket file that we made, so that a successor's is not removed by mistake.
struct SocketFile {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;

  static SocketFile of(const std::string& path) {
    SocketFile out{path};
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0) {
      out.device = info.st_dev;
      out.inode = info.st_ino;
    }
    return out;
  }
  void remove() const {
    const SocketFile now = of(path);
    if (inode != 0 && now.inode == inode && now.device == device) ::unlink(path.c_str());
  }
};

/// management.proto, head.
constexpr const char* kOwnDetails = "sluice";

grpc::StatusCode code_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::invalid:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case FaultKind::not_found:
      return grpc::StatusCode::NOT_FOUND;
    case FaultKind::refused:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case FaultKind::busy:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case FaultKind::unavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case FaultKind::internal:
      break;
  }
  return grpc::StatusCode::INTERNAL;
}

}  // namespace

grpc::Status to_grpc(const Fault& fault) {
  // The details tell our own answers from those that gRPC makes when a connection breaks.
  return {code_of(fault.kind), fault.text, kOwnDetails};
}

class Server::Impl {
 public:
  Impl(UniqueFd listener, SocketFile file, AdmitPolicy policy)
      : listener_(std::move(listener)), file_(std::move(file)), policy_(policy) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { stop(); }

  bool run(Service& service) {
    grpc::ServerBuilder builder;
    builder.RegisterService(&async_);
    builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
    builder.SetMaxSendMessageSize(-1);
    queue_ = builder.AddCompletionQueue();
    grpc_ = builder.BuildAndStart();
    if (!grpc_) return false;
    hub_ = std::make_shared<Hub>(service, async_, *queue_);
    {
      const std::lock_guard lock(hub_->mutex);
      serve_all_locked(hub_);
    }
    thread_ = std::thread([this] { serve(); });
    return true;
  }

  [[nodiscard]] int listener() const noexcept { return listener_.get(); }

  Status accept_ready() {
    while (listener_.valid()) {
      Result<UniqueFd> client = accept_unix(listener_.get());
      if (!client && client.error().code == Errc::again) break;
      if (!client && client.error().sys == ECONNABORTED) continue;
      if (!client) return fail(client.error());
      take(std::move(*client));
    }
    return {};
  }

  void stop() {
    if (!thread_.joinable()) return;
    listener_.reset();
    file_.remove();
    {
      const std::lock_guard lock(hub_->mutex);
      hub_->close_locked();
    }
    grpc_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(kStopGrace.count));
    {
      const std::lock_guard lock(hub_->mutex);
      hub_->queue_open = false;
    }
    queue_->Shutdown();
    thread_.join();
    const std::lock_guard lock(hub_->mutex);
    hub_->clear_locked();
  }

 private:
  void take(UniqueFd client) {
    const Result<Peer> peer = read_peer(client.get());
    if (!peer || !admitted(*peer, policy_)) {
      const PeerCredentials who = peer ? peer->credentials : PeerCredentials{0, uid_t(-1), 0};
      SLUICE_LOG(warning, "manage", "step=accept refused uid=%d pid=%d: not in the group",
                 static_cast<int>(who.uid), static_cast<int>(who.pid));
      return;
    }
    grpc::AddInsecureChannelFromFd(grpc_.get(), client.release());
  }

  void serve() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_->Next(&tag, &ok)) static_cast<Completion*>(tag)->complete(ok);
  }

  UniqueFd listener_;
  SocketFile file_;
  AdmitPolicy policy_;
  AsyncService async_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> grpc_;
  std::shared_ptr<Hub> hub_;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const std::string& path, const AdmitPolicy& policy,
                                              Service& service) {
  Result<UniqueFd> listener = listen_unix(path, kSocketMode);
  if (!listener) return fail(listener.error());
  const SocketFile file = SocketFile::of(path);
  // Our own group is the socket's already; only another one needs a change.
  if (policy.group && *policy.group != ::getegid() &&
      ::chown(path.c_str(), static_cast<uid_t>(-1), *policy.group) != 0) {
    const int sys = errno;
    file.remove();
    return fail_errno(sys);
  }
  auto impl = std::make_unique<Impl>(std::move(*listener), file, policy);
  if (!impl->run(service)) {
    file.remove();
    return fail(Errc::system);
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

int Server::listener() const noexcept {
  return impl_->listener();
}
Status Server::accept_ready() {
  return impl_->accept_ready();
}
void Server::stop() {
  impl_->stop();
}

}  // namespace sluice::manage
