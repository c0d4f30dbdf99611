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
    encode_reply({operation, ENOSPC}, out);
    ASSERT_EQ(out.size(), wire.size());
    const Result<SupervisorReply> reply = decode_reply(wire);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->operation, operation);
    EXPECT_EQ(reply->error, ENOSPC);
    for (std::size_t cut = 0; cut < wire.size(); ++cut)
      EXPECT_EQ(decode_reply(ByteView(wire).first(cut)).error().code, Errc::truncated) << cut;
  }
}

TEST(SupervisorReply, RefusesWhatItDoesNotKnow) {
  using Wire = std::array<std::byte, 6>;
  EXPECT_EQ(decode_reply(ByteView(Wire{std::byte{9}}).first(5)).error().code, Errc::malformed);
  EXPECT_EQ(decode_reply(Wire{std::byte{1}}).error().code, Errc::malformed);
  EXPECT_EQ(decode_reply(ByteView(Wire{std::byte{1}, std::byte{0xff}}).first(5)).error().code,
            Errc::malformed);
}

TEST(SupervisorRequest, IsOneKnownByte) {
  const std::array<std::byte, 2> wire{std::byte{2}, std::byte{2}};
  EXPECT_EQ(decode_request(ByteView(wire).first(1)).value(), SupervisorOperation::replace_config);
  EXPECT_EQ(decode_request({}).error().code, Errc::truncated);
  EXPECT_EQ(decode_request(wire).error().code, Errc::malformed);
  const std::array<std::byte, 1> unknown{std::byte{3}};
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
  void answer(SupervisorReply reply, std::span<const int> fds = {}) {
    std::array<std::byte, kSupervisorReplyBytes> wire{};
    Writer out{wire};
    encode_reply(reply, out);
    ASSERT_TRUE(send_message(far.get(), wire, fds));
  }
  std::optional<SupervisorLink> link;
  UniqueFd far;
};

TEST_F(Link, OpenHandsOverTheFile) {
  UniqueFd file(::open("/proc/self/cmdline", O_RDONLY));
  const std::array<int, 1> fds{file.get()};
  answer({SupervisorOperation::open_config, 0}, fds);
  const Result<UniqueFd> got = link->open_config(1_s);
  ASSERT_TRUE(got);
  char byte = 0;
  EXPECT_EQ(::read(got->get(), &byte, 1), 1);
}

TEST_F(Link, OpenPassesTheErrnoOn) {
  answer({SupervisorOperation::open_config, ENOENT});
  EXPECT_EQ(link->open_config(1_s).error().sys, ENOENT);
}

TEST_F(Link, OpenWithoutAFileIsMalformed) {
  answer({SupervisorOperation::open_config, 0});
  EXPECT_EQ(link->open_config(1_s).error().code, Errc::malformed);
}

TEST_F(Link, ALateReplyToAnotherCallIsDropped) {
  answer({SupervisorOperation::open_config, ENOENT});
  answer({SupervisorOperation::replace_config, 0});
  UniqueFd file(::open("/dev/null", O_RDONLY));
  EXPECT_TRUE(link->replace_config(file.get(), 1_s));
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
