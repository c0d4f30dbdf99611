#include "proto/runtime/loop/loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/net/connect.h"
#include "proto/runtime/net/open.h"

namespace sluice {
namespace {

std::unique_ptr<Loop> make_loop() {
  return std::move(*Loop::make());
}

void run_until(Loop& loop, const bool& done) {
  for (int turn = 0; turn < 2000 && !done; ++turn) loop.run_once(10_ms);
  ASSERT_TRUE(done);
}

std::array<UniqueFd, 2> make_pair() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Task<int> immediate(int value) {
  co_return value;
}

Task<int> sum_of(int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    const int one = co_await immediate(1);
    total += one;
  }
  co_return total;
}

Task<void> store_sum(int& out, bool& done) {
  out = co_await sum_of(100000);
  done = true;
}

TEST(Task, MillionsOfSynchronousStepsDoNotGrowTheStack) {
  auto loop = make_loop();
  int total = 0;
  bool done = false;
  loop->spawn(store_sum(total, done));
  EXPECT_TRUE(done);
  EXPECT_EQ(total, 100000);
  EXPECT_EQ(loop->root_count(), 0U);
}

Task<int> sleeper(Loop& loop, int depth) {
  if (depth == 0) {
    co_await sleep_until(loop, loop.now() + 1_ms);
    co_return 0;
  }
  const int below = co_await sleeper(loop, depth - 1);
  co_return below + 1;
}

Task<void> store_depth(Loop& loop, int& out, bool& done) {
  out = co_await sleeper(loop, 500);
  done = true;
}

TEST(Task, DeepChainsReturnThroughTheReadyList) {
  auto loop = make_loop();
  int depth = 0;
  bool done = false;
  loop->spawn(store_depth(*loop, depth, done));
  EXPECT_FALSE(done);
  run_until(*loop, done);
  EXPECT_EQ(depth, 500);
}

struct Guard {
  explicit Guard(int& count) : count_(count) { ++count_; }
  Guard(const Guard&) = delete;
  ~Guard() { --count_; }
  int& count_;
};

Task<void> wait_forever(Loop& loop, int& alive) {
  const Guard guard(alive);
  Event never(loop);
  co_await never.wait(Moment::never());
}

TEST(Loop, DestroysRootsThatStillWait) {
  int alive = 0;
  {
    auto loop = make_loop();
    loop->spawn(wait_forever(*loop, alive));
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

Task<void> read_one(Socket& socket, Status& out, bool& done, Until until) {
  out = co_await readable(socket.watch(), until);
  done = true;
}

TEST(Wait, ReadinessComesOnceThereAreBytes) {
  auto loop = make_loop();
  auto pair = make_pair();
  auto socket = Socket::adopt(*loop, std::move(pair[0]));
  ASSERT_TRUE(socket);
  Status out = fail(Errc::invalid);
  bool done = false;
  loop->spawn(read_one(*socket, out, done, loop->now() + 5_s));
  loop->run_once(0_ms);
  EXPECT_FALSE(done);
  ASSERT_EQ(::write(pair[1].get(), "x", 1), 1);
  run_until(*loop, done);
  EXPECT_TRUE(out);
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(*socket->read(buffer), 1U);
  EXPECT_FALSE(socket->watch().readable());
  EXPECT_EQ(socket->read(buffer).error().code, Errc::again);
}

TEST(Wait, EndOfStreamBehindAShortReadIsSeenWithoutAnotherEdge) {
  auto loop = make_loop();
  auto pair = make_pair();
  auto socket = Socket::adopt(*loop, std::move(pair[0]));
  ASSERT_EQ(::write(pair[1].get(), "x", 1), 1);
  pair[1].reset();
  loop->run_once(1_s);
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(*socket->read(buffer), 1U);
  EXPECT_TRUE(socket->watch().readable());
  EXPECT_EQ(socket->read(buffer).error().code, Errc::closed);
}

TEST(Wait, DeadlineEndsIt) {
  auto loop = make_loop();
  auto pair = make_pair();
  auto socket = Socket::adopt(*loop, std::move(pair[0]));
  Status out;
  bool done = false;
  loop->spawn(read_one(*socket, out, done, loop->now() + 5_ms));
  run_until(*loop, done);
  EXPECT_EQ(out.error().code, Errc::timeout);
}

TEST(Wait, CancelEndsEveryAwaitOfItsScopeAndAllLaterOnes) {
  auto loop = make_loop();
  auto pair = make_pair();
  auto socket = Socket::adopt(*loop, std::move(pair[0]));
  CancelScope scope;
  Status out;
  bool done = false;
  loop->spawn(read_one(*socket, out, done, Until(Moment::never(), scope)));
  scope.cancel();
  run_until(*loop, done);
  EXPECT_EQ(out.error().code, Errc::cancelled);
  done = false;
  loop->spawn(read_one(*socket, out, done, Until(Moment::never(), scope)));
  EXPECT_TRUE(done);
  EXPECT_EQ(out.error().code, Errc::cancelled);
}

TEST(Wait, ClosingTheWatchEndsItsWaiters) {
  auto loop = make_loop();
  auto pair = make_pair();
  auto socket = Socket::adopt(*loop, std::move(pair[0]));
  Status out;
  bool done = false;
  loop->spawn(read_one(*socket, out, done, Moment::never()));
  socket->close();
  run_until(*loop, done);
  EXPECT_EQ(out.error().code, Errc::cancelled);
}

class CountingSink final : public WatchSink {
 public:
  void on_ready() noexcept override { ++calls; }
  int calls = 0;
};

TEST(Watch, HearsNothingAfterItsEndThoughADuplicateIsOpen) {
  auto loop = make_loop();
  auto pair = make_pair();
  const UniqueFd duplicate(::fcntl(pair[0].get(), F_DUPFD_CLOEXEC, 3));
  CountingSink sink;
  {
    const auto watch = Watch::make(*loop, std::move(pair[0]));
    ASSERT_TRUE(watch);
    (*watch)->set_sink(&sink);
  }
  ASSERT_EQ(::write(pair[1].get(), "x", 1), 1);
  for (int turn = 0; turn < 3; ++turn) loop->run_once(1_ms);
  EXPECT_EQ(sink.calls, 0);
}

Task<void> wait_event(Event& event, Loop& loop, bool& done) {
  const Status status = co_await event.wait(loop.now() + 5_s);
  done = status.has_value();
}

TEST(Event, IsRememberedAndWakesItsWaiter) {
  auto loop = make_loop();
  Event event(*loop);
  bool first = false;
  loop->spawn(wait_event(event, *loop, first));
  event.set();
  run_until(*loop, first);
  bool second = false;
  loop->spawn(wait_event(event, *loop, second));
  EXPECT_TRUE(second);
}

Task<void> connect_to(Loop& loop, Endpoint to, Errc& out, bool& done) {
  const Result<Socket> s = co_await connect_tcp(loop, to, {}, loop.now() + 5_s);
  out = s ? Errc::none : s.error().code;
  done = true;
}

TEST(UdpFlows, LeaveTheLastQuarterOfTheDescriptors) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{128, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto pair = make_pair();
  EXPECT_TRUE(unless_scarce(UniqueFd(::fcntl(pair[0].get(), F_DUPFD_CLOEXEC, 90))));
  const auto scarce = unless_scarce(UniqueFd(::fcntl(pair[0].get(), F_DUPFD_CLOEXEC, 96)));
  ASSERT_FALSE(scarce);
  EXPECT_EQ(scarce.error().code, Errc::no_descriptors);
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(Connect, ReachesAListenerAndNamesRefusal) {
  auto loop = make_loop();
  auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  const Endpoint at = local_endpoint(listener->get());
  Errc out = Errc::invalid;
  bool done = false;
  loop->spawn(connect_to(*loop, at, out, done));
  run_until(*loop, done);
  EXPECT_EQ(out, Errc::none);
  listener->reset();
  done = false;
  loop->spawn(connect_to(*loop, at, out, done));
  run_until(*loop, done);
  EXPECT_EQ(out, Errc::refused);
}

TEST(Loop, JobsOfOtherThreadsRunInOrder) {
  auto loop = make_loop();
  std::vector<int> seen;
  std::thread sender([&] {
    for (int i = 0; i < 1000; ++i) loop->post(make_job([&seen, i] { seen.push_back(i); }));
    loop->request_stop();
  });
  loop->run();
  sender.join();
  ASSERT_EQ(seen.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

class Counting final : public Ready {
 public:
  explicit Counting(Loop& loop) : loop_(loop) {}
  int runs = 0;

 private:
  void run() noexcept override {
    if (++runs < 5) loop_.requeue(*this);
  }
  Loop& loop_;
};

TEST(Loop, RequeuedWorkRunsOncePerTurn) {
  auto loop = make_loop();
  Counting work(*loop);
  loop->queue(work);
  for (int turn = 1; turn <= 5; ++turn) {
    loop->run_once(0_ms);
    EXPECT_LE(work.runs, turn + 1);
  }
  EXPECT_EQ(work.runs, 5);
}

}  // namespace
}  // namespace sluice
