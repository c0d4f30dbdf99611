#include "dataplane/capture/listener_sockets.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <map>
#include <set>
#include <vector>

#include "proto/runtime/net/datagram_batch.h"
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

// What keeps one client endpoint on one worker, and so in one NAT table. Needs CAP_NET_ADMIN.
TEST(TproxyGroup, AClientPortAlwaysMeetsTheSameOfFourSockets) {
  constexpr unsigned kWorkers = 4;
  constexpr unsigned kClients = 64;
  constexpr unsigned kRounds = 8;
  contract::Listener listener;
  listener.kind = contract::ListenerKind::tproxy;
  listener.address = IpAddress::v4(0x7f000001);
  listener.udp = true;
  const auto group = bind_listener(listener, kWorkers, false);
  if (!group && group.error().code == Errc::denied) GTEST_SKIP() << "needs CAP_NET_ADMIN";
  ASSERT_TRUE(group);
  ASSERT_EQ(group->udp.size(), kWorkers);
  std::vector<UniqueFd> clients;
  for (unsigned i = 0; i < kClients; ++i)
    clients.push_back(std::move(*bind_udp({listener.address, 0})));
  const OutDatagram out{as_byte_view("x"), group->at, {}, {}};
  for (unsigned round = 0; round < kRounds; ++round)
    for (const UniqueFd& client : clients)
      ASSERT_EQ(send_batch(client.get(), {&out, 1}, false), 1U);
  std::map<Endpoint, std::pair<unsigned, unsigned>> met;  // socket and datagrams of a client
  std::set<unsigned> used;
  DatagramBatch batch;
  for (unsigned socket = 0; socket < kWorkers; ++socket) {
    for (auto got = batch.receive(group->udp[socket].get()); got;
         got = batch.receive(group->udp[socket].get())) {
      for (const Packet& packet : *got) {
        auto& [where, count] = met.try_emplace(packet.from, socket, 0U).first->second;
        EXPECT_EQ(where, socket);
        ++count;
        used.insert(socket);
      }
    }
  }
  EXPECT_EQ(met.size(), kClients);
  for (const auto& [client, seen] : met) EXPECT_EQ(seen.second, kRounds);
  EXPECT_GT(used.size(), 1U) << "the clients are spread over the workers";
}

TEST(IgnoreNewClients, SaysWhenItCannot) {
  EXPECT_FALSE(ignore_new_clients(-1));
}

}  // namespace
}  // namespace sluice::capture
