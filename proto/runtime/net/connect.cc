#include "proto/runtime/net/connect.h"

#include <utility>

namespace sluice {

Task<Result<Socket>> connect_tcp(Loop& loop, Endpoint to, DialOptions options, Until until) {
  auto fd = start_connect(to, options);
  if (!fd) co_return fail(fd.error());
  auto socket = Socket::adopt(loop, std::move(*fd));
  if (!socket) co_return fail(socket.error());
  // A fresh connecting socket reports EPOLLOUT|EPOLLHUP only once the outcome is known.
  const Status ready = co_await writable(socket->watch(), until);
  if (!ready) co_return fail(Error{ready.error().code, Side::upstream, 0, 0});
  if (!socket->watch().hung_up()) co_return std::move(*socket);
  const Status outcome = socket->pending_error();
  if (!outcome) co_return fail(Error{outcome.error().code, Side::upstream, 0, outcome.error().sys});
  co_return std::move(*socket);
}

}  // namespace sluice
