// The capture's life around its helper: a spawner and helpers of this process, which say yes to
// everything, in a namespace of its own.
#include "dataplane/app/kernel_capture.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dataplane/helper/limits.h"
#include "proto/common/cursor.h"
#include "proto/common/log.h"
#include "proto/runtime/process/descriptors.h"
#include "tests/support/scratch.h"
#include "tests/unit/dataplane/app/few_descriptors.h"

namespace sluice::app {
namespace {

/// Answers the spawner's protocol (helper/spawner.h). Its helpers' sockets are there beforehand:
/// the test's process is theirs, too, and may have no descriptors left.
class Spawner {
 public:
  static constexpr std::size_t kMost = 40;

  Spawner() {
    for (auto& pair : pairs_) pair = std::move(*make_socket_pair(SOCK_SEQPACKET));
    auto pair = make_socket_pair(SOCK_SEQPACKET);
    handle.emplace(std::move(pair->ours), -1);
    threads_.emplace_back([this, peer = std::move(pair->theirs)] { serve(peer.get()); });
  }
  ~Spawner() {
    handle.reset();
    for (const SocketPair& pair : pairs_) ::shutdown(pair.theirs.get(), SHUT_RDWR);
    threads_[0].join();  // makes no more of them
    for (std::size_t i = 1; i < threads_.size(); ++i) threads_[i].join();
  }
  void end_helper() { ::shutdown(pairs_[started - 1].theirs.get(), SHUT_RDWR); }

  std::optional<SpawnerHandle> handle;
  std::atomic<std::size_t> started{0};
  std::atomic<bool> refuse{false};
  std::atomic<int> refused{0};

 private:
  void serve(int peer) {
    for (;;) {
      std::array<std::byte, 5> request{};
      const auto message = receive_message(peer, request);
      if (!message || message->size == 0) return;
      Reader in{request};
      in.u8();
      std::array<std::byte, 12> wire{};
      Writer out{wire};
      out.u32be(in.u32be());
      out.u32be(refuse ? EAGAIN : 0);
      out.u32be(0xffffffff);  // no process of its own
      if (refuse) {
        ++refused;
        (void)send_message(peer, wire);
        continue;
      }
      const SocketPair& pair = pairs_.at(started);
      threads_.emplace_back([&pair] { agree(pair.theirs.get()); });
      ++started;
      const std::array<int, 1> fds{pair.ours.get()};
      (void)send_message(peer, wire, fds);
    }
  }
  static void agree(int peer) {
    std::vector<std::byte> frame(nft::kMaxFrameBytes);
    for (;;) {
      const auto message = receive_message(peer, frame);
      if (!message || message->size == 0) return;
      const auto request = nft::decode_request(ByteView(frame).first(message->size));
      if (!request) return;
      Writer out{frame};
      nft::encode_verdict({request->command, request->id, 0, {}}, out);
      if (!send_message(peer, out.written())) return;
    }
  }

  std::array<SocketPair, kMost> pairs_;
  std::vector<std::thread> threads_;
};

/// Lines of the log while it lives.
class Lines {
 public:
  Lines() { set_log_tap(&Lines::take, this, LogLevel::info); }
  ~Lines() { set_log_tap(nullptr, nullptr, LogLevel::silent); }
  [[nodiscard]] std::ptrdiff_t count(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::count_if(
        lines_, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

 private:
  static void take(void* self, LogLevel, std::string_view, std::string_view text, std::int64_t) {
    auto& lines = *static_cast<Lines*>(self);
    const std::lock_guard lock(lines.mutex_);
    lines.lines_.emplace_back(text);
  }
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class Capture : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: makes network namespaces";
    former_.reset(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    ASSERT_EQ(std::system("ip link set lo up"), 0);
    wanted.interfaces = {"lan0"};
    wanted.mode = contract::CaptureMode::redirect;
  }
  void TearDown() override {
    if (!former_.valid()) return;
    ASSERT_EQ(::setns(former_.get(), CLONE_NEWNET), 0);
  }
  template <class Done>
  void turn_until(Done done) {
    for (int i = 0; i < 1000 && !done(); ++i) home->run_once(5_ms);
    ASSERT_TRUE(done());
  }
  [[nodiscard]] bool on() const { return capture.state() == contract::CaptureState::on; }

  sluice::test::Scratch run_dir;
  std::unique_ptr<Loop> home = std::move(*Loop::make());
  Spawner spawner;
  DescriptorTable table;
  contract::Capture wanted;
  KernelCapture capture{*home, &*spawner.handle, {}, run_dir.path()};

 private:
  UniqueFd former_;
};

TEST_F(Capture, GivesSharesOfItsSocketsOnce) {
  ASSERT_EQ(capture.prepare(wanted, 2), "");
  EXPECT_FALSE(capture.has_shares()) << "not before it captures";
  ASSERT_EQ(capture.engage(wanted, {}, table), "");
  EXPECT_EQ(capture.take_shares().size(), 2U);
  EXPECT_TRUE(capture.take_shares().empty());
  ASSERT_EQ(capture.prepare(wanted, 2), "");
  ASSERT_EQ(capture.engage(wanted, {}, table), "");
  EXPECT_FALSE(capture.has_shares()) << "the sockets are those of before";
}

TEST_F(Capture, WithoutDescriptorsForItsSocketsItIsNotPrepared) {
  std::string problem = "none";
  for (int left = 0; !problem.empty(); ++left) {
    ASSERT_LT(left, 40);
    const test::FewDescriptors few(left);
    problem = capture.prepare(wanted, 2);
  }
  ASSERT_EQ(capture.engage(wanted, {}, table), "");
  EXPECT_EQ(capture.take_shares().size(), 2U);
}

// A helper whose end nobody sees leaves "on" in the status and nothing in the kernel.
TEST_F(Capture, AHelperThatCannotBeWatchedAtFirstIsWatchedLater) {
  std::string problem = "none";
  for (int left = 0; !problem.empty(); ++left) {
    ASSERT_LT(left, 20);
    ASSERT_EQ(capture.prepare(wanted, 1), "");
    const test::FewDescriptors few(left);
    problem = capture.engage(wanted, {}, table);
  }
  const std::size_t started = spawner.started;
  ASSERT_TRUE(on());
  spawner.end_helper();
  turn_until([&] { return spawner.started == started + 1; });
  turn_until([&] { return on(); });
}

TEST_F(Capture, TheLossOfItsHelperIsToldOnce) {
  const Lines lines;
  ASSERT_EQ(capture.prepare(wanted, 1), "");
  ASSERT_EQ(capture.engage(wanted, {}, table), "");
  spawner.refuse = true;
  spawner.end_helper();
  turn_until([&] { return spawner.refused >= 4; });
  EXPECT_EQ(capture.state(), contract::CaptureState::failed);
  EXPECT_EQ(lines.count("sluice-nft has ended"), 1);
  EXPECT_EQ(lines.count("not capturing"), 1);
  spawner.refuse = false;
  turn_until([&] { return on(); });
  EXPECT_EQ(lines.count("capturing again"), 1);
}

}  // namespace
}  // namespace sluice::app
