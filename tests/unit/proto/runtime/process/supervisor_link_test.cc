#include "proto/runtime/process/supervisor_link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "proto/runtime/process/descriptors.h"

namespace sluice {
namespace {

constexpr std::array kBoth{SupervisorOperation::open_config, SupervisorOperation::replace_config};

TEST(SupervisorReply, RoundTripsAndEveryPrefixIsTruncated) {
  for (const SupervisorOperation operation : kBoth) {
    std::array<std::byte, kSupervisorReplyBytes> wire{};
    Writer out{wire};
    encode_reply({{operation, 7}, ENOSPC}, out);
    ASSERT_EQ(out.size(), wire.size());
    const Result<SupervisorReply> reply = decode_reply(wire);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->request, (SupervisorRequest{operation, 7}));
    EXPECT_EQ(reply->error, ENOSPC);
    for (std::size_t cut = 0; cut < wire.size(); ++cut)
      EXPECT_EQ(decode_reply(ByteView(wire).first(cut)).error().code, Errc::truncated) << cut;
  }
}

TEST(SupervisorReply, RefusesWhatItDoesNotKnow) {
  using Wire = std::array<std::byte, kSupervisorReplyBytes + 1>;
  const auto code = [](const Wire& wire, std::size_t size) {
    return decode_reply(ByteView(wire).first(size)).error().code;
  };
  EXPECT_EQ(code({std::byte{9}}, 6), Errc::malformed);
  EXPECT_EQ(code({std::byte{1}}, 7), Errc::malformed) << "one byte too many";
  EXPECT_EQ(code({std::byte{1}, std::byte{0}, std::byte{0xff}}, 6), Errc::malformed);
}

TEST(SupervisorRequest, IsAKnownOperationAndItsSequence) {
  const std::array<std::byte, 3> wire{std::byte{2}, std::byte{9}, std::byte{2}};
  EXPECT_EQ(decode_request(ByteView(wire).first(2)).value(),
            (SupervisorRequest{SupervisorOperation::replace_config, 9}));
  EXPECT_EQ(decode_request({}).error().code, Errc::truncated);
  EXPECT_EQ(decode_request(ByteView(wire).first(1)).error().code, Errc::truncated);
  EXPECT_EQ(decode_request(wire).error().code, Errc::malformed);
  const std::array<std::byte, 2> unknown{std::byte{3}};
  EXPECT_EQ(decode_request(unknown).error().code, Errc::unsupported);
}

/// The supervisor's end, played by hand.
class Link : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
    ASSERT_TRUE(pair);
    link.emplace(std::move(pair->ours));
    far = std::move(pair->theirs);
  }
  /// Answers the request that will be the link's `sequence`-th.
  void answer(SupervisorOperation operation, std::uint8_t sequence, int error,
              std::span<const int> fds = {}) {
    std::array<std::byte, kSupervisorReplyBytes> wire{};
    Writer out{wire};
    encode_reply({{operation, sequence}, error}, out);
    ASSERT_TRUE(send_message(far.get(), wire, fds));
  }
  std::optional<SupervisorLink> link;
  UniqueFd far;
};

TEST_F(Link, OpenHandsOverTheFile) {
  UniqueFd file(::open("/proc/self/cmdline", O_RDONLY));
  const std::array<int, 1> fds{file.get()};
  answer(SupervisorOperation::open_config, 1, 0, fds);
  const Result<UniqueFd> got = link->open_config(1_s);
  ASSERT_TRUE(got);
  char byte = 0;
  EXPECT_EQ(::read(got->get(), &byte, 1), 1);
}

TEST_F(Link, OpenPassesTheErrnoOn) {
  answer(SupervisorOperation::open_config, 1, ENOENT);
  EXPECT_EQ(link->open_config(1_s).error().sys, ENOENT);
}

TEST_F(Link, OpenWithoutAFileIsMalformed) {
  answer(SupervisorOperation::open_config, 1, 0);
  EXPECT_EQ(link->open_config(1_s).error().code, Errc::malformed);
}

TEST_F(Link, ALateReplyToAnEarlierCallIsDropped) {
  EXPECT_EQ(link->open_config(5_ms).error().code, Errc::timeout);
  EXPECT_EQ(link->open_config(5_ms).error().code, Errc::timeout);
  answer(SupervisorOperation::open_config, 1, ENOENT);
  answer(SupervisorOperation::open_config, 2, ENOENT);
  UniqueFd file(::open("/dev/null", O_RDONLY));
  const std::array<int, 1> fds{file.get()};
  answer(SupervisorOperation::open_config, 3, 0, fds);
  EXPECT_TRUE(link->open_config(1_s)) << "the same operation, but not the same call";
}

TEST_F(Link, SilenceIsATimeout) {
  EXPECT_EQ(link->open_config(5_ms).error().code, Errc::timeout);
}

TEST_F(Link, AGoneSupervisorIsClosed) {
  far.reset();
  EXPECT_EQ(link->open_config(1_s).error().code, Errc::closed);
}

}  // namespace
}  // namespace sluice
