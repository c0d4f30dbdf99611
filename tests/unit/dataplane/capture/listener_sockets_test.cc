#include "dataplane/capture/listener_sockets.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::capture {
namespace {

/// Non-blocking; the handshake may be under way.
UniqueFd begin_connect(const Endpoint& to) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_storage raw{};
  const socklen_t size = to.to_sockaddr(raw);
  (void)::connect(fd.get(), reinterpret_cast<const sockaddr*>(&raw), size);
  return fd;
}

bool is_ready(const UniqueFd& fd, short events, int wait) {
  pollfd state{fd.get(), events, 0};
  return ::poll(&state, 1, wait) == 1;
}

TEST(IgnoreNewClients, KeepsWhomItHasMetAndLetsNobodyElseIn) {
  auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  const Endpoint at = local_endpoint(listener->get());
  const UniqueFd met = begin_connect(at);
  ASSERT_TRUE(is_ready(met, POLLOUT, 2000));
  ASSERT_TRUE(ignore_new_clients(listener->get()));
  const UniqueFd late = begin_connect(at);
  EXPECT_FALSE(is_ready(late, POLLOUT, 200)) << "neither let in nor refused";
  const UniqueFd accepted(::accept(listener->get(), nullptr, nullptr));
  ASSERT_TRUE(accepted.valid());
  ASSERT_EQ(::send(met.get(), "x", 1, MSG_NOSIGNAL), 1);
  EXPECT_TRUE(is_ready(accepted, POLLIN, 2000));
  EXPECT_LT(::accept(listener->get(), nullptr, nullptr), 0);
}

TEST(ListeningSocket, ItsClientsSendWithoutDelay) {
  auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  const UniqueFd client = begin_connect(local_endpoint(listener->get()));
  ASSERT_TRUE(is_ready(client, POLLOUT, 2000));
  Endpoint peer;
  const auto accepted = accept_one(listener->get(), peer);
  ASSERT_TRUE(accepted);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  ASSERT_EQ(::getsockopt(accepted->get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_EQ(no_delay, 1);
}

TEST(IgnoreNewClients, SaysWhenItCannot) {
  EXPECT_FALSE(ignore_new_clients(-1));
}

}  // namespace
}  // namespace sluice::capture
