#include "dataplane/flow/unbuilt_log.h"

#include <gtest/gtest.h>

#include <vector>

#include "proto/common/log.h"

namespace sluice::flow {
namespace {

class UnbuiltLogTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_tap(&UnbuiltLogTest::keep, &lines, LogLevel::warning); }
  void TearDown() override { set_log_tap(nullptr, nullptr, LogLevel::silent); }
  static void keep(void* context, LogLevel level, std::string_view, std::string_view text,
                   std::int64_t) {
    if (level == LogLevel::warning)
      static_cast<std::vector<std::string>*>(context)->emplace_back(text);
  }
  static contract::Outbound proxy(std::string name, std::string type) {
    contract::Outbound out;
    out.name = std::move(name);
    out.type_name = std::move(type);
    return out;
  }
  std::vector<std::string> lines;
  UnbuiltLog log;
};

TEST_F(UnbuiltLogTest, NamesTheProxyAndItsTypeOnceAndCountsTheRest) {
  const auto hk = proxy("hk-03", "Vmess");
  for (int i = 0; i < 6; ++i) log.refused(hk, Moment{1000});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(
      lines[0],
      "proxy hk-03 (type Vmess): its type or one of its options is not built in: 1 flow refused");
  log.refused(hk, Moment{10'999});
  EXPECT_EQ(lines.size(), 1U);
  log.refused(hk, Moment{11'000});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(
      lines[1],
      "proxy hk-03 (type Vmess): its type or one of its options is not built in: 7 flows refused");
}

TEST_F(UnbuiltLogTest, TheLastRefusalsAreToldWhenNoneFollows) {
  for (int i = 0; i < 4; ++i) log.refused(proxy("hk-03", "Vmess"), Moment{1000});
  log.sweep(Moment{10'999});
  EXPECT_EQ(lines.size(), 1U);
  for (const std::int64_t at : {11'000, 11'250, 21'000, 31'000}) log.sweep(Moment{at});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(
      lines[1],
      "proxy hk-03 (type Vmess): its type or one of its options is not built in: 3 flows refused");
}

TEST_F(UnbuiltLogTest, EveryProxyHasItsOwnLine) {
  log.refused(proxy("hk-03", "Vmess"), Moment{1000});
  log.refused(proxy("sg-01", "Trojan"), Moment{1000});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(
      lines[1],
      "proxy sg-01 (type Trojan): its type or one of its options is not built in: 1 flow refused");
}

}  // namespace
}  // namespace sluice::flow
