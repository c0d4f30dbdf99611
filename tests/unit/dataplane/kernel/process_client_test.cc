// The client against the real server loop on a thread, and against peers that misbehave.
#include "dataplane/kernel/process_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "dataplane/helper/process_server.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::kernel {
namespace {

class Heard final : public ProcessSink {
 public:
  void process_answer(proc::Answer answer) noexcept override {
    answers.push_back(std::move(answer));
  }
  void process_lost() noexcept override {
    ++lost;
    client.reset();
  }
  std::unique_ptr<ProcessClient> client;
  std::vector<proc::Answer> answers;
  int lost = 0;
};

class ProcessClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pair = make_socket_pair(SOCK_SEQPACKET);
    ASSERT_TRUE(pair);
    peer = std::move(pair->theirs);
    auto made = ProcessClient::make(*loop, {std::move(pair->ours), -1}, heard);
    ASSERT_TRUE(made);
    heard.client = std::move(*made);
  }
  template <class Done>
  void turn_until(Done done) {
    for (int i = 0; i < 400 && !done(); ++i) loop->run_once(5_ms);
    ASSERT_TRUE(done());
  }
  std::unique_ptr<Loop> loop = std::move(*Loop::make());
  Heard heard;
  UniqueFd peer;
};

TEST_F(ProcessClientTest, AsksTheServerAndHearsOfItsEnd) {
  std::thread server([this] {
    auto finder = proc::ProcessFinder::open();
    EXPECT_TRUE(proc::serve(peer.get(), *finder));
    peer.reset();
  });
  const auto held = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  struct stat about{};
  ASSERT_EQ(::fstat(held->get(), &about), 0);
  ASSERT_TRUE(heard.client->ask({5, static_cast<std::uint32_t>(about.st_ino), 1_s}));
  ASSERT_TRUE(heard.client->ask({6, 0xffffffff, 1_s}));
  turn_until([&] { return heard.answers.size() == 2; });
  for (const proc::Answer& answer : heard.answers) {
    EXPECT_EQ(answer.error, answer.id == 5 ? 0 : ENOENT);
    EXPECT_EQ(answer.pid, answer.id == 5 ? ::getpid() : 0);
  }
  heard.client.reset();
  server.join();
}

TEST_F(ProcessClientTest, AHelperThatDiesIsLostOnce) {
  peer.reset();
  turn_until([&] { return heard.lost != 0; });
  EXPECT_EQ(heard.lost, 1);
}

TEST_F(ProcessClientTest, AHelperThatSpeaksNonsenseIsLost) {
  ASSERT_TRUE(send_message(peer.get(), as_byte_view("nonsense")));
  turn_until([&] { return heard.lost != 0; });
}

TEST_F(ProcessClientTest, AHelperThatDoesNotReadIsNotWaitedFor) {
  Status asked;
  for (std::uint32_t i = 0; i < 100'000 && asked; ++i) asked = heard.client->ask({i, 1, 1_ms});
  EXPECT_EQ(asked.error().code, Errc::no_room);
}

}  // namespace
}  // namespace sluice::kernel
