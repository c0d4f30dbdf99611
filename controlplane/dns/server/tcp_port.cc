#include "controlplane/dns/server/tcp_port.h"

#include <utility>

#include "controlplane/dns/bounds.h"
#include "proto/runtime/net/open.h"

namespace sluice::dns {
namespace {

/// Out of descriptors: accepting is tried again after this.
constexpr Millis kAcceptPause{200};

}  // namespace

Result<std::unique_ptr<TcpPort>> TcpPort::make(Loop& loop, UniqueFd listener,
                                               Responder& responder) {
  auto watch = Watch::make(loop, std::move(listener));
  if (!watch) return fail(watch.error());
  std::unique_ptr<TcpPort> port(new TcpPort(std::move(*watch), responder));
  port->watch_->set_sink(port.get());
  return port;
}

TcpPort::~TcpPort() {
  for (const auto& client : clients_) client->close();
}

Endpoint TcpPort::local() const noexcept {
  return local_endpoint(watch_->fd());
}

void TcpPort::accept_all() noexcept {
  // Above the bound the kernel's backlog holds them until a client leaves.
  while (clients_.size() < kMaxTcpClients) {
    Endpoint from;
    auto fd = accept_one(watch_->fd(), from);
    if (fd) {
      take(std::move(*fd), from);
      continue;
    }
    if (fd.error().code == Errc::again) return;
    if (fd.error().code == Errc::no_descriptors || fd.error().code == Errc::no_room) {
      watch_->loop().arm(*this, watch_->loop().now() + kAcceptPause);
      return;
    }
    // The client left before it was accepted: the next one.
  }
}

void TcpPort::take(UniqueFd fd, const Endpoint& from) {
  set_keep_alive(fd.get(), {});
  auto socket = Socket::adopt(watch_->loop(), std::move(fd));
  if (!socket) return;
  const Position client = clients_.insert(
      clients_.end(), std::make_shared<TcpClient>(std::move(*socket), from, responder_));
  tasks_.run(serve(client));
}

Task<void> TcpPort::serve(Position client) {
  Task<void> life = (*client)->serve();
  co_await life;
  (*client)->close();
  clients_.erase(client);
  watch_->loop().arm(*this, watch_->loop().now());
}

}  // namespace sluice::dns
