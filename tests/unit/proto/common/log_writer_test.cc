#include "proto/common/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <thread>

#include "proto/common/clock.h"
#include "proto/common/log.h"
#include "proto/common/unique_fd.h"

namespace sluice {
namespace {

/// A pipe that holds one page, with or without somebody who reads it.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    out = UniqueFd(ends[0]);
    in = UniqueFd(ends[1]);
    EXPECT_GE(::fcntl(in.get(), F_SETPIPE_SZ, 4096), 4096);
  }
  /// Reads until nothing came for `quiet`.
  std::string read_all(int quiet_ms) const {
    std::string all;
    std::array<char, 4096> room{};
    pollfd waiting{out.get(), POLLIN, 0};
    while (::poll(&waiting, 1, quiet_ms) > 0) {
      const ssize_t n = ::read(out.get(), room.data(), room.size());
      if (n <= 0) break;
      all.append(room.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
  UniqueFd in;
  UniqueFd out;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The sum of what lines say: "... warning /log: 12 log lines dropped".
std::size_t dropped_in(const std::string& text) {
  std::size_t sum = 0;
  const std::string head = "/log: ";
  for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1))
    sum += std::stoul(text.substr(at + head.size()));
  return sum;
}

TEST(LogWriter, ReaderThatStallsHoldsUpNobodyAndIsToldWhatItMissed) {
  Pipe pipe;
  LogWriter writer(pipe.in.get());
  constexpr int kLines = 2'000;  // about 200 KiB: pipe and ring hold less
  const Moment before = monotonic_now();
  for (int i = 0; i < kLines; ++i)
    SLUICE_LOG(warning, "test", "line %04d and some text to make it as long as usual ones", i);
  EXPECT_LT((monotonic_now() - before).count, 2'000) << "the caller waited for the reader";
  const std::string all = pipe.read_all(300);
  const std::size_t kept = count(all, "test: line ");
  EXPECT_GT(kept, 400U);
  EXPECT_LT(kept, static_cast<std::size_t>(kLines));
  EXPECT_EQ(kept + dropped_in(all), static_cast<std::size_t>(kLines));
  EXPECT_EQ(count(all, "\n"), kept + count(all, " log lines dropped\n")) << "lines are whole";
  SLUICE_LOG(warning, "test", "and on");
  EXPECT_EQ(count(pipe.read_all(300), "test: and on\n"), 1U);
}

TEST(LogWriter, WithoutAThreadLinesAreDirect) {
  pthread_attr_t usual;
  pthread_attr_t vast;
  ASSERT_EQ(::pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(::pthread_getattr_default_np(&vast), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&vast, std::size_t{1} << 46U), 0);
  ASSERT_EQ(::pthread_setattr_default_np(&vast), 0);  // no thread gets so much
  ::testing::internal::CaptureStderr();
  {
    const LogWriter writer(STDERR_FILENO);
    ASSERT_EQ(::pthread_setattr_default_np(&usual), 0);
    SLUICE_LOG(warning, "test", "said all the same");
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(said, "no thread for log lines"), 1U) << said;
  EXPECT_EQ(count(said, "said all the same"), 1U);
}

TEST(LogWriter, EndHandsOutWhatIsLeft) {
  Pipe pipe;
  std::optional<LogWriter> writer;
  writer.emplace(pipe.in.get());
  std::string all;
  std::thread reader([&] { all = pipe.read_all(500); });
  for (int i = 0; i < 100; ++i) SLUICE_LOG(warning, "test", "line %d", i);
  writer.reset();
  reader.join();
  EXPECT_EQ(count(all, "test: line "), 100U);
  EXPECT_NE(all.find("test: line 99\n"), std::string::npos);
}

TEST(LogWriter, EndDoesNotWaitForEverForAReaderThatStalls) {
  Pipe pipe;
  std::optional<LogWriter> writer;
  writer.emplace(pipe.in.get());
  for (int i = 0; i < 200; ++i) SLUICE_LOG(warning, "test", "line %d", i);
  const Moment before = monotonic_now();
  writer.reset();
  const Millis waited = monotonic_now() - before;
  EXPECT_GE(waited.count, kLogFlush.count);
  EXPECT_LT(waited.count, 3 * kLogFlush.count);
  (void)pipe.read_all(300);  // lets the thread end before its descriptor is closed
}

TEST(LogWriter, LineThatIsTooLongIsCutAndStillOneLine) {
  Pipe pipe;
  LogWriter writer(pipe.in.get());
  SLUICE_LOG(warning, "test", "%s", std::string(5'000, 'x').c_str());
  SLUICE_LOG(warning, std::string(500, 'c'), "%s", std::string(5'000, 'y').c_str());
  const std::string all = pipe.read_all(300);
  EXPECT_EQ(count(all, "\n"), 2U);
  EXPECT_EQ(all.back(), '\n');
}

}  // namespace
}  // namespace sluice
