// Owners of real sockets, by a real kernel.
#include "dataplane/kernel/socket_diag.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::kernel {
namespace {

constexpr uid_t kSomeUid = 54321;

ino_t inode_of(int fd) {
  struct stat about{};
  EXPECT_EQ(::fstat(fd, &about), 0);
  return about.st_ino;
}

/// A socket of the family that is connected to `to`; `as_v6`: dual-stack, v4 written mapped.
UniqueFd connected(const Endpoint& to, int type, bool as_v6) {
  sockaddr_storage raw{};
  const socklen_t size = to.to_sockaddr(raw, as_v6);
  UniqueFd fd(::socket(raw.ss_family, type | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&raw), size), 0);
  return fd;
}

class SocketDiagTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = SocketDiag::open(*loop);
    ASSERT_TRUE(opened);
    diag = std::move(*opened);
  }
  Result<SocketOwner> find(Network network, const Endpoint& local, const Endpoint& remote) {
    Result<SocketOwner> out = fail(Errc::invalid);
    bool done = false;
    loop->spawn(ask({network, local, remote}, out, done));
    for (int i = 0; i < 100 && !done; ++i) loop->run_once(10_ms);
    EXPECT_TRUE(done);
    return out;
  }
  Task<void> ask(SocketQuery query, Result<SocketOwner>& out, bool& done) {
    out = co_await diag->find(query, loop->now() + 1_s);
    done = true;
  }
  void expect_ours(int fd, Network network, const Endpoint& remote) {
    const auto owner = find(network, local_endpoint(fd), remote);
    ASSERT_TRUE(owner);
    EXPECT_EQ(owner->uid, ::geteuid());
    EXPECT_EQ(owner->inode, inode_of(fd));
  }
  std::unique_ptr<Loop> loop = std::move(*Loop::make());
  std::unique_ptr<SocketDiag> diag;
};

struct Shape {
  const char* listener;
  bool as_v6;
};
constexpr Shape kShapes[] = {{"127.0.0.1:0", false}, {"[::1]:0", false}, {"127.0.0.1:0", true}};

TEST_F(SocketDiagTest, FindsTcpClientsOfBothFamiliesAndMappedOnes) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.as_v6 ? "mapped" : shape.listener);
    const auto listener = listen_tcp(*Endpoint::parse(shape.listener));
    ASSERT_TRUE(listener);
    const Endpoint at = local_endpoint(listener->get());
    const UniqueFd client = connected(at, SOCK_STREAM, shape.as_v6);
    expect_ours(client.get(), Network::tcp, at);
  }
}

TEST_F(SocketDiagTest, FindsConnectedUdpClients) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.as_v6 ? "mapped" : shape.listener);
    const auto server = bind_udp(*Endpoint::parse(shape.listener));
    ASSERT_TRUE(server);
    const Endpoint at = local_endpoint(server->get());
    const UniqueFd client = connected(at, SOCK_DGRAM, shape.as_v6);
    expect_ours(client.get(), Network::udp, at);
  }
}

TEST_F(SocketDiagTest, FindsUdpClientsThatConnectToNobody) {
  const Endpoint anybody = *Endpoint::parse("192.0.2.1:53");
  const auto bound = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(bound);
  expect_ours(bound->get(), Network::udp, anybody);
  ListenOptions dual;
  dual.dual_stack = true;
  const auto wildcard = bind_udp(*Endpoint::parse("[::]:0"), dual);
  ASSERT_TRUE(wildcard);
  const std::uint16_t port = local_endpoint(wildcard->get()).port;
  const auto owner = find(Network::udp, {IpAddress::v4(0x7f000001), port}, anybody);
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->inode, inode_of(wildcard->get()));
}

TEST_F(SocketDiagTest, TheUserIsTheOneWhoOpenedIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: opens a socket as another user";
  const auto server = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  const Endpoint at = local_endpoint(server->get());
  ASSERT_EQ(::seteuid(kSomeUid), 0);
  const UniqueFd client = connected(at, SOCK_DGRAM, false);
  ASSERT_EQ(::seteuid(0), 0);
  const auto owner = find(Network::udp, local_endpoint(client.get()), at);
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->uid, kSomeUid);
}

TEST_F(SocketDiagTest, AListenerAtTheAddressIsNotTheClient) {
  const auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  const Endpoint at = local_endpoint(listener->get());
  EXPECT_EQ(find(Network::tcp, at, *Endpoint::parse("192.0.2.1:80")).error().code, Errc::not_found);
}

TEST_F(SocketDiagTest, ASocketThatItsProgramHasClosedIsNobodys) {
  const auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  const Endpoint at = local_endpoint(listener->get());
  UniqueFd client = connected(at, SOCK_STREAM, false);
  const Endpoint local = local_endpoint(client.get());
  client.reset();  // the other side does not answer the FIN: it stays in FIN_WAIT2, without owner
  EXPECT_EQ(find(Network::tcp, local, at).error().code, Errc::not_found);
}

TEST_F(SocketDiagTest, SocketsThatAreNotThereAreNotFound) {
  const Endpoint a = *Endpoint::parse("127.0.0.1:1");
  const Endpoint b = *Endpoint::parse("127.0.0.1:2");
  EXPECT_EQ(find(Network::tcp, a, b).error().code, Errc::not_found);
  EXPECT_EQ(find(Network::udp, a, b).error().code, Errc::not_found);
  EXPECT_EQ(find(Network::tcp, a, *Endpoint::parse("[::1]:2")).error().code, Errc::not_found);
  EXPECT_EQ(find(Network::tcp, {}, {}).error().code, Errc::not_found);
}

TEST_F(SocketDiagTest, QuestionsOfManyFlowsDoNotMixUp) {
  const auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  const Endpoint at = local_endpoint(listener->get());
  std::vector<UniqueFd> clients;
  std::vector<Result<SocketOwner>> owners(32, fail(Errc::invalid));
  std::array<bool, 32> done{};
  for (std::size_t i = 0; i < owners.size(); ++i)
    clients.push_back(connected(at, SOCK_STREAM, false));
  for (std::size_t i = 0; i < owners.size(); ++i)
    loop->spawn(ask({Network::tcp, local_endpoint(clients[i].get()), at}, owners[i], done[i]));
  for (int i = 0; i < 100 && loop->root_count() != 0; ++i) loop->run_once(10_ms);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    ASSERT_TRUE(owners[i]);
    EXPECT_EQ(owners[i]->inode, inode_of(clients[i].get()));
  }
}

}  // namespace
}  // namespace sluice::kernel
