// A TCP connection over loopback: one end on a worker, the other in the test's hands.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <string>

#include "dataplane/transport/socket_end.h"
#include "dataplane/worker/worker.h"
#include "proto/runtime/net/open.h"

namespace sluice::flow {

class NoOwner final : public SnapshotOwner {
 public:
  void on_released(const void*, unsigned) noexcept override { ++released; }
  int released = 0;
};

struct TcpPair {
  UniqueFd test;
  std::unique_ptr<transport::SocketEnd> end;
  int end_fd = -1;  ///< the end's socket, while it lives
};

/// The test's side is blocking when read with a poll before; both are non-blocking.
inline TcpPair connect_pair(Worker& worker) {
  auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  EXPECT_TRUE(listener);
  auto near = start_connect(local_endpoint(listener->get()), {});
  EXPECT_TRUE(near);
  pollfd waiting{listener->get(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 2000), 1);
  Endpoint peer;
  auto far = accept_one(listener->get(), peer);
  EXPECT_TRUE(far);
  auto socket = Socket::adopt(worker.loop(), std::move(*near));
  EXPECT_TRUE(socket);
  const int end_fd = socket->fd();
  return {std::move(*far),
          std::make_unique<transport::SocketEnd>(std::move(*socket), worker.slices()), end_fd};
}

/// Writes what the socket takes; returns how much.
inline std::size_t put(const UniqueFd& fd, std::string_view text) {
  const ssize_t n = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

/// Reads what is there; `ended` tells of end of stream, `reset` of a reset.
struct Got {
  std::string text;
  bool ended = false;
  bool reset = false;
};
inline void take(const UniqueFd& fd, Got& got) {
  std::string buffer(256 * 1024, '\0');
  for (;;) {
    const ssize_t n = ::recv(fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
      got.text.append(buffer, 0, static_cast<std::size_t>(n));
      continue;
    }
    got.ended = got.ended || n == 0;
    got.reset = got.reset || (n < 0 && errno == ECONNRESET);
    return;
  }
}

}  // namespace sluice::flow
