// Rule lines over the contract: their states in pages, and their switches.
#include "tests/unit/controlplane/push/fakes.h"

namespace sluice {
namespace {

using test::ContractTest;

class RulesOverTheContract : public ContractTest {
 protected:
  void SetUp() override {
    start_server();
    start_client();
    ASSERT_TRUE(events.wait_up(1));
  }
};

TEST_F(RulesOverTheContract, StatesOfManyLinesArriveWhole) {
  for (const std::uint32_t count : {0U, 1U, 40'000U}) {
    core.set_lines(count);
    const auto states = read_rules();
    ASSERT_TRUE(states);
    EXPECT_EQ(states->unmatched, 3U);
    ASSERT_EQ(states->lines.size(), count);
    for (std::uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(states->lines[i], (contract::RuleState{i, 2ULL * i, i, false}));
  }
}

TEST_F(RulesOverTheContract, SwitchesHoldOrAreRefusedWithTheReason) {
  core.set_lines(20'000);
  auto verdict = set_rules({0, {{3, true}, {19'999, true}}});
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->accepted) << verdict->reason;
  EXPECT_TRUE(read_rules()->lines[3].disabled);
  EXPECT_TRUE(read_rules()->lines[19'999].disabled);
  verdict = set_rules({7, {{3, false}}});
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->accepted);
  EXPECT_EQ(verdict->place, "generation");
  EXPECT_EQ(verdict->reason, "is another one");
  verdict = set_rules({0, {}});
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->accepted);
  EXPECT_EQ(verdict->place, "lines");
  EXPECT_TRUE(read_rules()->lines[3].disabled);
}

TEST_F(RulesOverTheContract, WithoutADataPlaneBothSaySo) {
  stop_server();
  ASSERT_TRUE(events.wait_down(1));
  EXPECT_EQ(read_rules().error().code, Errc::unreachable);
  EXPECT_EQ(set_rules({0, {{0, true}}}).error().code, Errc::unreachable);
}

}  // namespace
}  // namespace sluice
