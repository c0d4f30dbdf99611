#include "dataplane/flow/acceptor.h"

#include <utility>

#include "dataplane/flow/limits.h"
#include "dataplane/flow/serve.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/net/limits.h"
#include "proto/runtime/net/open.h"

namespace sluice::flow {

Result<std::unique_ptr<Acceptor>> Acceptor::make(Engine& engine, UniqueFd fd, Entrance entrance) {
  auto socket = Socket::adopt(engine.worker().loop(), std::move(fd));
  if (!socket) return fail(socket.error());
  std::unique_ptr<Acceptor> acceptor(new Acceptor(engine, std::move(*socket), std::move(entrance)));
  acceptor->socket_.watch().set_sink(acceptor.get());
  return acceptor;
}

void Acceptor::warn(const Error& error) {
  const Moment now = engine_.worker().loop().now();
  if (now < quiet_until_) return;
  quiet_until_ = now + kAcceptWarning;
  SLUICE_LOG(warning, "accept", "%s: %s; clients wait until there are", entrance_.listener.c_str(),
             describe(error).c_str());
}

Acceptor::Accepted Acceptor::accept_next() noexcept {
  if (engine_.worker().memory().spent()) {
    warn(Error{Errc::no_room});
    return Accepted::later;
  }
  Endpoint peer;
  auto client = accept_one(socket_.fd(), peer);
  if (client) {
    engine_.worker().loop().spawn(serve(engine_, std::move(*client), peer, entrance_));
    return Accepted::one;
  }
  const Errc code = client.error().code;
  if (code == Errc::again) return Accepted::nobody;
  // Anything else: the client gave up while it waited in the backlog.
  if (code != Errc::no_descriptors && code != Errc::no_room) return Accepted::one;
  warn(client.error());
  return Accepted::later;
}

void Acceptor::accept_some() noexcept {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    switch (accept_next()) {
      case Accepted::one:
        continue;
      case Accepted::nobody:
        return socket_.watch().clear_readable();
      case Accepted::later:
        return engine_.worker().loop().arm(*this, engine_.worker().after(kAcceptRetry));
    }
  }
  engine_.worker().loop().requeue(*this);
}

void Acceptor::drain() noexcept {
  for (int i = 0; i < kListenBacklog && accept_next() == Accepted::one; ++i) {
  }
}

}  // namespace sluice::flow
