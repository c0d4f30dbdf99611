// dial.sock: a user name picks the outbound, without one the rules decide.
#include "dataplane/flow/dial_service.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include "proto/common/unix_socket.h"
#include "proto/runtime/net/open.h"
#include "tests/support/scratch.h"
#include "tests/unit/dataplane/flow/rig.h"

namespace sluice::flow {
namespace {

constexpr std::string_view kNoName("\x05\x01\x00", 3);
constexpr std::string_view kWithName("\x05\x02\x00\x02", 4);

class Dial : public EngineRig {
 protected:
  void SetUp() override {
    EngineRig::SetUp();
    auto listening = listen_unix(path, 0600);
    ASSERT_TRUE(listening);
    auto made = DialService::make(*engine, std::move(*listening), ::geteuid());
    ASSERT_TRUE(made);
    engine->keep(std::move(*made));
    engine->flows().watch(true);
    auto opened = listen_tcp({kLoopback, 0});
    ASSERT_TRUE(opened);
    origin = std::move(*opened);
    client = connected();
  }
  void TearDown() override { EngineRig::TearDown(); }
  UniqueFd connected() const {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    return fd;
  }
  /// What came back until there are so many bytes, or the end.
  std::string hear(std::size_t bytes) {
    Got got;
    turn_until([&] {
      take(client, got);
      return got.text.size() >= bytes || got.ended || got.reset;
    });
    return got.text;
  }
  /// The code of the reply to a wish to reach the origin.
  int reply_code() {
    std::string wish("\x05\x01\x00\x01\x7f\x00\x00\x01", 8);
    const std::uint16_t port = local_endpoint(origin.get()).port;
    wish += static_cast<char>(port >> 8U);
    wish += static_cast<char>(port & 0xffU);
    put(client, wish);
    const std::string reply = hear(10);
    return reply.size() == 10 ? reply[1] : -1;
  }
  void reject_inner() {
    use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
      const auto inner = static_cast<std::uint8_t>(contract::InboundType::inner);
      rules.in_types(std::span(&inner, 1));
      rules.always();
      m.rules = {{"InType", "INNER", 1, 0}, {"Match", "", 0, 1}};
    });
  }

  const test::Scratch scratch;
  const std::string path = scratch.path("dial.sock");
  UniqueFd origin;
  UniqueFd client;
};

TEST_F(Dial, WithoutANameTheRulesDecide) {
  put(client, kNoName);
  EXPECT_EQ(hear(2), std::string("\x05\x00", 2));
  EXPECT_EQ(reply_code(), 0);
}

TEST_F(Dial, ARuleThatRejectsIsARefusal) {
  reject_inner();
  put(client, kNoName);
  EXPECT_EQ(hear(2), std::string("\x05\x00", 2));
  EXPECT_NE(reply_code(), 0);
}

TEST_F(Dial, ANameSkipsTheRules) {
  reject_inner();
  put(client, kWithName);
  EXPECT_EQ(hear(2), std::string("\x05\x02", 2));
  put(client, std::string("\x01\x06"
                          "DIRECT"
                          "\x00",
                          9));
  EXPECT_EQ(hear(2), std::string("\x01\x00", 2));
  EXPECT_EQ(reply_code(), 0);
}

TEST_F(Dial, ANameThatNobodyHasIsDenied) {
  put(client, kWithName);
  EXPECT_EQ(hear(2), std::string("\x05\x02", 2));
  put(client, std::string("\x01\x04"
                          "gone"
                          "\x00",
                          7));
  EXPECT_EQ(hear(2), std::string("\x01\x00", 2));
  EXPECT_EQ(reply_code(), 2);
}

TEST_F(Dial, BeforeTheFirstSnapshotNoMethodWillDo) {
  worker->snapshots().publish(nullptr);
  for (const std::string_view greeting : {kNoName, kWithName}) {
    client = connected();
    put(client, greeting);
    EXPECT_EQ(hear(3), "\x05\xff") << "and the end";
  }
}

}  // namespace
}  // namespace sluice::flow
