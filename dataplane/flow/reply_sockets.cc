#include "dataplane/flow/reply_sockets.h"

#include <utility>

#include "proto/runtime/net/open.h"

namespace sluice::flow {

ReplySockets::~ReplySockets() {
  while (ReplySocket* socket = oldest()) close(*socket);
}

void ReplySockets::close(ReplySocket& socket) noexcept {
  by_source_.erase(socket);
  delete &socket;
}

Result<UniqueFd> ReplySockets::open(const Endpoint& source) {
  for (;;) {
    auto fd = bind_transparent_reply(source, mark_);
    if (fd || fd.error().code != Errc::no_descriptors || oldest() == nullptr) return fd;
    close(*oldest());
  }
}

Result<ReplySocket*> ReplySockets::get(const Endpoint& source, Moment now) {
  ReplySocket* socket = by_source_.find(source);
  if (socket == nullptr) {
    if (by_source_.size() >= bound_) close(*oldest());
    auto fd = open(source);
    if (!fd) return fail(fd.error());
    auto made = std::make_unique<ReplySocket>();
    made->source = source;
    made->fd = std::move(*fd);
    by_source_.insert(*made);
    socket = made.release();
  }
  socket->used_at = now;
  order_.touch(*socket);
  return socket;
}

void ReplySockets::close_unused(Moment now, Millis idle) noexcept {
  while (ReplySocket* socket = oldest()) {
    if (now - socket->used_at < idle) return;
    close(*socket);
  }
}

}  // namespace sluice::flow
