// Sockets that answer in a foreign name. Needs CAP_NET_ADMIN.
#include "dataplane/flow/reply_sockets.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::flow {
namespace {

constexpr Moment kNow{1'000'000};

Endpoint source(std::uint32_t number) {
  return {IpAddress::v4(0x7f010000U + number), 5353};
}

class ReplySocketsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto fd = bind_transparent_reply(source(0), 0);
    if (!fd && fd.error().code == Errc::denied) GTEST_SKIP() << "needs CAP_NET_ADMIN";
  }
};

/// The soft limit of descriptors, until the block ends.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t count) {
    ::getrlimit(RLIMIT_NOFILE, &former_);
    const rlimit limit{count, former_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &former_); }

 private:
  rlimit former_{};
};

TEST_F(ReplySocketsTest, SendFromTheirSourceInBothFamilies) {
  ReplySockets cache(0, 4);
  for (const Endpoint& at : {source(1), *Endpoint::parse("[2001:db8::7]:443")}) {
    const auto socket = cache.get(at, kNow);
    ASSERT_TRUE(socket);
    EXPECT_EQ(local_endpoint((*socket)->fd.get()), at);
    EXPECT_EQ(*cache.get(at, kNow), *socket) << "made once";
  }
}

TEST_F(ReplySocketsTest, TheLeastRecentlyUsedMakesRoom) {
  ReplySockets cache(0, 3);
  for (std::uint32_t i = 1; i <= 3; ++i) ASSERT_TRUE(cache.get(source(i), kNow));
  const ReplySocket* first = *cache.get(source(1), kNow);
  ASSERT_TRUE(cache.get(source(4), kNow));
  EXPECT_EQ(cache.count(), 3U);
  EXPECT_EQ(*cache.get(source(1), kNow), first) << "it was used again before";
}

TEST_F(ReplySocketsTest, ScarceDescriptorsShrinkTheCacheInsteadOfFailing) {
  constexpr rlim_t kLimit = 64;
  const DescriptorLimit limit(kLimit);
  ReplySockets cache(0, 1000);
  for (std::uint32_t i = 1; i <= 200; ++i) ASSERT_TRUE(cache.get(source(i), kNow)) << i;
  EXPECT_LT(cache.count(), kLimit - kLimit / 4);
  EXPECT_GT(cache.count(), 1U);
}

TEST_F(ReplySocketsTest, UnusedOnesClose) {
  ReplySockets cache(0, 10);
  ASSERT_TRUE(cache.get(source(1), kNow));
  ASSERT_TRUE(cache.get(source(2), kNow + 10'000_ms));
  cache.close_unused(kNow + 29'999_ms, 30'000_ms);
  EXPECT_EQ(cache.count(), 2U);
  cache.close_unused(kNow + 30'000_ms, 30'000_ms);
  EXPECT_EQ(cache.count(), 1U);
}

}  // namespace
}  // namespace sluice::flow
