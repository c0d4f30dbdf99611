// What keeps facts current for the rules: neighbours of a real kernel, a helper that comes and
// goes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "dataplane/app/limits.h"
#include "dataplane/app/neighbour_watch.h"
#include "dataplane/app/process_helper.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::app {
namespace {

template <class Done>
void turn_until(Loop& loop, Done done) {
  for (int i = 0; i < 600 && !done(); ++i) loop.run_once(5_ms);
  ASSERT_TRUE(done());
}

class Neighbours : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: makes network namespaces";
    former_.reset(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    ASSERT_EQ(std::system("ip link add lan0 type veth peer name peer0 && ip link set lan0 up &&"
                          "ip addr add 192.168.7.1/24 dev lan0"),
              0);
  }
  void TearDown() override {
    // Other tests of this program want the loopback device that they had.
    if (!former_.valid()) return;
    ASSERT_EQ(::setns(former_.get(), CLONE_NEWNET), 0);
  }
  static void add(const std::string& ip, const std::string& mac) {
    ASSERT_EQ(std::system(("ip neigh replace " + ip + " lladdr " + mac + " dev lan0").c_str()), 0);
  }
  [[nodiscard]] std::uint64_t mac_of(const char* ip) const {
    return table != nullptr ? table->mac_of(*IpAddress::parse(ip)) : 0;
  }
  std::unique_ptr<Loop> home = std::move(*Loop::make());
  flow::SharedNeighbours table;
  int published = 0;
  NeighbourWatch watch{*home, [this](flow::SharedNeighbours fresh) {
                         table = std::move(fresh);
                         ++published;
                       }};

 private:
  UniqueFd former_;
};

TEST_F(Neighbours, AreThereAtOnceFollowAndGoAgain) {
  add("192.168.7.9", "02:00:00:00:00:01");
  watch.want(true);
  EXPECT_EQ(mac_of("192.168.7.9"), 0x0200'0000'0001U) << "before anything else runs";
  add("192.168.7.9", "02:00:00:00:00:02");
  turn_until(*home, [&] { return mac_of("192.168.7.9") == 0x0200'0000'0002U; });
  ASSERT_EQ(std::system("ip neigh del 192.168.7.9 dev lan0"), 0);
  add("192.168.7.10", "02:00:00:00:00:03");
  turn_until(*home, [&] { return mac_of("192.168.7.10") == 0x0200'0000'0003U; });
  EXPECT_EQ(mac_of("192.168.7.9"), 0x0200'0000'0002U) << "the last address heard stays";
  watch.want(false);
  EXPECT_EQ(table, nullptr);
}

TEST_F(Neighbours, ManyNewsAreFewTables) {
  watch.want(true);
  published = 0;
  for (int i = 2; i < 100; ++i) {
    add("192.168.7." + std::to_string(i), "02:00:00:00:00:01");
    home->run_once(0_ms);
  }
  turn_until(*home, [&] { return mac_of("192.168.7.99") != 0; });
  EXPECT_LT(published, 30);
}

TEST_F(Neighbours, LostNewsAreReadAgain) {
  watch.want(true);
  // More than a socket's buffer holds, before the loop turns.
  ASSERT_EQ(std::system("for j in 1 2 3; do for i in $(seq 2 254); do"
                        " echo neigh replace 192.168.7.$i lladdr 02:00:00:00:0$j:01 dev lan0;"
                        " done; done | ip -batch -"),
            0);
  turn_until(*home, [&] { return mac_of("192.168.7.254") == 0x0200'0000'0301U; });
  EXPECT_EQ(mac_of("192.168.7.2"), 0x0200'0000'0301U);
}

class Helper : public ::testing::Test {
 protected:
  /// Starts count; the peer's end is here.
  Result<kernel::ProcHelper> start() {
    ++starts;
    if (while_starting) while_starting();
    if (refuse) return fail(Errc::not_found);
    auto pair = make_socket_pair(SOCK_SEQPACKET);
    peer = std::move(pair->theirs);
    return kernel::ProcHelper{std::move(pair->ours), pid};
  }
  void want_it() {
    helper.want(true);
    home->run_once(0_ms);
  }
  proc::Question next_question() {
    std::array<std::byte, 64> room{};
    EXPECT_TRUE(wait_readable(peer.get(), 2000));
    const auto message = receive_message(peer.get(), room);
    const auto question = proc::decode_question(ByteView(room).first(message->size));
    EXPECT_TRUE(question);
    return question ? *question : proc::Question{};
  }
  void answer(std::uint32_t id, const std::string& path) {
    std::vector<std::byte> room(proc::kMaxAnswer_bytes);
    Writer out{room};
    proc::encode_answer({id, 0, 7, path}, out);
    ASSERT_TRUE(send_message(peer.get(), out.written()));
  }
  void ask(std::uint64_t id, unsigned worker) {
    helper.ask({id, 48213}, worker);
    home->run_once(0_ms);
  }
  struct Answered {
    std::uint64_t id;
    std::string path;
    unsigned worker;
  };
  std::unique_ptr<Loop> home = std::move(*Loop::make());
  bool refuse = false;
  std::function<void()> while_starting;
  pid_t pid = -1;
  int starts = 0;
  UniqueFd peer;
  std::vector<Answered> answers;
  ProcessHelper helper{*home, [this] { return start(); },
                       [this](flow::ProcessAnswer a, unsigned worker) {
                         answers.push_back({a.id, std::move(a.path), worker});
                       }};
};

TEST_F(Helper, RunsOnlyWhileItIsWanted) {
  home->run_once(0_ms);
  EXPECT_EQ(starts, 0);
  want_it();
  want_it();
  EXPECT_EQ(starts, 1);
  helper.want(false);
  EXPECT_FALSE(helper.running());
  std::array<std::byte, 16> room{};
  EXPECT_EQ(receive_message(peer.get(), room)->size, 0U) << "end of file ends it";
}

// An Apply wants it, and must not wait for a program to start.
TEST_F(Helper, StartsAfterWhoeverWantsIt) {
  helper.want(true);
  EXPECT_EQ(starts, 0);
  home->run_once(0_ms);
  EXPECT_EQ(starts, 1);
}

TEST_F(Helper, AnswersFindTheirWorker) {
  want_it();
  ask(1, 0);
  ask(1, 3);
  const proc::Question first = next_question();
  const proc::Question second = next_question();
  EXPECT_EQ(first.inode, 48213U);
  EXPECT_NE(first.id, second.id) << "two workers count alike";
  answer(second.id, "/usr/bin/b");
  answer(first.id, "/usr/bin/a");
  turn_until(*home, [&] { return answers.size() == 2; });
  EXPECT_EQ(answers[0].worker, 3U);
  EXPECT_EQ(answers[0].path, "/usr/bin/b");
  EXPECT_EQ(answers[1].worker, 0U);
}

TEST_F(Helper, WithoutOneQuestionsAreAnsweredAtOnceWithNothing) {
  refuse = true;
  want_it();
  ask(5, 1);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].id, 5U);
  EXPECT_TRUE(answers[0].path.empty());
}

TEST_F(Helper, OneThatDiesIsStartedAgainAndItsQuestionsEnd) {
  want_it();
  ask(1, 2);
  peer.reset();
  turn_until(*home, [&] { return answers.size() == 1; });
  EXPECT_TRUE(answers[0].path.empty());
  EXPECT_FALSE(helper.running());
  EXPECT_EQ(starts, 1) << "not at once";
  turn_until(*home, [&] { return starts == 2; });
  ask(2, 2);
  answer(next_question().id, "/usr/bin/a");
  turn_until(*home, [&] { return answers.size() == 2; });
}

// A try holds home for as long as a spawner that stalls is waited for.
TEST_F(Helper, ThePauseBeginsWhenATryEnds) {
  refuse = true;
  Moment ended;
  Millis between{};
  while_starting = [&] {
    between = monotonic_now() - ended;
    ::poll(nullptr, 0, static_cast<int>(HelperPause::kFirst.count) + 10);
    ended = monotonic_now();
  };
  want_it();
  turn_until(*home, [&] { return starts == 2; });
  EXPECT_GE(between, HelperPause::kFirst);
}

// Its socket stays open: nothing but the missing answer tells.
TEST_F(Helper, OneThatStallsIsKilledAndStartedAgain) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  pid = child;
  want_it();
  pid = -1;
  const UniqueFd former = std::move(peer);
  ask(1, 2);
  turn_until(*home, [&] { return answers.size() == 1; });
  EXPECT_TRUE(answers[0].path.empty());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  turn_until(*home, [&] { return starts == 2; });
}

TEST_F(Helper, OneThatAnsweredWhileHomeWasHeldUpIsNotStalled) {
  want_it();
  ask(1, 0);
  home->post(make_job([&] {
    ::poll(nullptr, 0, static_cast<int>(kHelperStalled.count) + 10);
    answer(next_question().id, "/usr/bin/a");
    home->refresh_now();  // the deadline is over before the loop looks at the socket
  }));
  turn_until(*home, [&] { return answers.size() == 1; });
  EXPECT_EQ(answers[0].path, "/usr/bin/a");
  EXPECT_TRUE(helper.running());
}

TEST_F(Helper, OneThatIsNotWantedAnyMoreIsNotStartedAgain) {
  want_it();
  peer.reset();
  turn_until(*home, [&] { return !helper.running(); });
  helper.want(false);
  for (int i = 0; i < 80; ++i) home->run_once(5_ms);
  EXPECT_EQ(starts, 1);
}

TEST(HelperPause, GrowsWithEachEndUntilOneLivedWell) {
  HelperPause pause;
  Moment now{1'000'000};
  const auto wait = [&](Millis life) {
    pause.started(now);
    now = now + life;
    return pause.ended(now) - now;
  };
  for (const Millis expected : {250_ms, 500_ms, 1_s, 2_s, 4_s, 8_s, 16_s, 32_s, 60_s, 60_s})
    EXPECT_EQ(wait(HelperPause::kWell - 1_ms), expected);
  EXPECT_EQ(wait(HelperPause::kWell), 250_ms);
  EXPECT_EQ(wait(0_ms), 500_ms);
}

TEST(OpenQuestions, KnowTheirAskersAndHowLongTheyWait) {
  OpenQuestions open;
  EXPECT_EQ(open.oldest(), Moment::never());
  const auto first = open.put({7, 0}, Moment{100});
  const auto second = open.put({7, 3}, Moment{200});
  EXPECT_EQ(open.oldest(), Moment{100});
  const auto asker = open.take(first);
  ASSERT_TRUE(asker);
  EXPECT_EQ(asker->worker, 0U);
  EXPECT_FALSE(open.take(first)) << "once";
  EXPECT_EQ(open.oldest(), Moment{200});
  EXPECT_EQ(open.take_all().size(), 1U);
  EXPECT_FALSE(open.take(second));
}

TEST(OpenQuestions, AreBounded) {
  OpenQuestions open;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < OpenQuestions::kMax; ++i) {
    EXPECT_FALSE(open.full());
    number = open.put({i, 0}, Moment{0});
  }
  EXPECT_TRUE(open.full());
  open.take(number);
  EXPECT_FALSE(open.full());
}

TEST(HelperWithoutRoot, IsNeverThere) {
  const auto home = std::move(*Loop::make());
  int answered = 0;
  ProcessHelper helper(*home, {}, [&](const flow::ProcessAnswer&, unsigned) { ++answered; });
  helper.want(true);
  helper.ask({1, 1}, 0);
  home->run_once(0_ms);
  EXPECT_EQ(answered, 1);
}

}  // namespace
}  // namespace sluice::app
