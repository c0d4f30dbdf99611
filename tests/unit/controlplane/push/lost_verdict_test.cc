// What becomes of a manifest that the data plane never judged, and of one that it refused while
// nobody was there to hear it. A manifest is known by its first outbound: "a", "b".
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/controlplane/push/fakes.h"

namespace sluice {
namespace {

class LostVerdict : public test::ContractTest {
 protected:
  static contract::Manifest manifest(const char* name) {
    contract::Manifest out;
    out.outbounds = {{.name = name}};
    return out;
  }
  /// "a" runs.
  void run_a() {
    start_server();
    start_client();
    ASSERT_TRUE(events.wait_up(1));
    ASSERT_TRUE(apply(manifest("a"), {}).accepted);
  }
  void server_dies() {
    stop_server();
    ASSERT_TRUE(events.wait_down(1));
  }
};

TEST_F(LostVerdict, ItCountsAsRefusedAndTheManifestIsNotSentAgain) {
  run_a();
  core.say_nothing_about("b");
  auto end = begin_apply(manifest("b"), {});
  ASSERT_TRUE(core.wait_offered("a b "));
  server_dies();
  const push::Applied lost = end.get();
  EXPECT_FALSE(lost.accepted);
  EXPECT_FALSE(lost.kept);
  EXPECT_EQ(lost.place, "") << "nothing is known to be wrong with it";
  core.say_nothing_about("nobody");
  start_server();
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_EQ(core.offered(), "a b a a ") << "replayed, then applied again";
  EXPECT_TRUE(events.verdict().accepted);
}

TEST_F(LostVerdict, TheNextOneInLineIsAppliedAllTheSame) {
  run_a();
  core.say_nothing_about("b");
  auto lost = begin_apply(manifest("b"), {});
  auto next = begin_apply(manifest("c"), {});
  ASSERT_TRUE(core.wait_offered("a b "));
  server_dies();
  EXPECT_FALSE(lost.get().accepted);
  start_server();
  EXPECT_TRUE(next.get().accepted);
  EXPECT_EQ(core.offered(), "a b a a c ");
}

TEST_F(LostVerdict, WhatWasKeptWhileTheDataPlaneWasAwayIsGivenUpForTheOneBefore) {
  run_a();
  server_dies();
  core.say_nothing_about("b");
  EXPECT_TRUE(begin_apply(manifest("b"), {}).get().kept);
  start_server();
  ASSERT_TRUE(core.wait_offered("a a b "));
  stop_server();
  core.say_nothing_about("nobody");
  start_server();
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_FALSE(events.verdict().accepted);
  EXPECT_EQ(events.verdict().place, "");
  EXPECT_EQ(core.offered(), "a a b a a ");
}

TEST_F(LostVerdict, TheFirstOfAllIsSentUntilItIsJudged) {
  core.say_nothing_about("a");
  start_client();
  EXPECT_TRUE(begin_apply(manifest("a"), {}).get().kept);
  start_server();
  ASSERT_TRUE(core.wait_offered("a "));
  stop_server();
  core.say_nothing_about("nobody");
  start_server();
  ASSERT_TRUE(events.wait_up(1));
  EXPECT_TRUE(events.verdict().accepted);
  EXPECT_EQ(core.offered(), "a a ");
}

// Killed in the middle of an Apply; the next one starts while it is still judged.
TEST_F(LostVerdict, AControlPlaneThatFollowsAKilledOneWaitsForItsApply) {
  run_a();
  core.say_nothing_about("b");
  auto unheard = begin_apply(manifest("b"), {});
  ASSERT_TRUE(core.wait_offered("a b "));
  stop_client();
  start_client();
  EXPECT_TRUE(begin_apply(manifest("c"), {}).get().kept);
  ASSERT_TRUE(core.wait_hellos(4)) << "two sessions of the second one were turned away";
  EXPECT_EQ(core.offered(), "a b ");
  core.answer_silent();
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_TRUE(events.verdict().accepted);
  EXPECT_EQ(core.offered(), "a b c ");
}

TEST_F(LostVerdict, TheFirstOfAllIsGivenUpWhereAnotherOneCouldRun) {
  core.say_nothing_about("a");
  client.emplace(push::Options{path(), trusted, "sluice-controlplane test", true}, events);
  EXPECT_TRUE(begin_apply(manifest("a"), {}).get().kept);
  for (const char* offered : {"a ", "a a ", "a a a "}) {
    start_server();
    ASSERT_TRUE(core.wait_offered(offered));
    stop_server();
  }
  start_server();
  ASSERT_TRUE(events.wait_up(1));
  EXPECT_FALSE(events.verdict().accepted);
  EXPECT_EQ(events.verdict().place, "configuration") << "it is taken for the text's fault";
  EXPECT_TRUE(apply(manifest("b"), {}).accepted);
  EXPECT_EQ(core.offered(), "a a a b ");
}

TEST_F(LostVerdict, WhatStandsInForAGivenUpOneHasItsOwnTries) {
  core.say_nothing_about("a");
  client.emplace(push::Options{path(), trusted, "sluice-controlplane test", true}, events);
  EXPECT_TRUE(begin_apply(manifest("a"), {}).get().kept);
  for (const char* offered : {"a ", "a a ", "a a a "}) {
    start_server();
    ASSERT_TRUE(core.wait_offered(offered));
    stop_server();
  }
  core.say_nothing_about("b");
  start_server();
  ASSERT_TRUE(events.wait_up(1));
  server_dies();
  EXPECT_TRUE(begin_apply(manifest("b"), {}).get().kept);
  start_server();
  ASSERT_TRUE(core.wait_offered("a a a b "));
  stop_server();
  core.say_nothing_about("nobody");
  start_server();
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_TRUE(events.verdict().accepted) << events.verdict().reason;
  EXPECT_EQ(core.offered(), "a a a b b ");
}

TEST_F(LostVerdict, AVerdictThatCannotBeReadEndsTheSessionAndIsLostToo) {
  run_a();
  core.refuse_next("", std::string(10'000, 'x'));
  const push::Applied lost = begin_apply(manifest("b"), {}).get();
  EXPECT_FALSE(lost.accepted);
  EXPECT_NE(lost.reason.find("went away"), std::string::npos) << lost.reason;
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_EQ(core.offered(), "a b a ") << "what runs there is known again";
}

TEST_F(LostVerdict, ARefusalOfWhatWasKeptBringsTheOneBeforeBackAtOnce) {
  run_a();
  server_dies();
  core.refuse_all("b");
  EXPECT_TRUE(begin_apply(manifest("b"), {}).get().kept);
  start_server();
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_EQ(events.verdict().place, "outbounds[0].name");
  EXPECT_EQ(core.manifest().outbounds[0].name, "a");
  EXPECT_EQ(core.offered(), "a a b a ");
  restart_server();
  ASSERT_TRUE(events.wait_up(3));
  EXPECT_TRUE(events.verdict().accepted);
  EXPECT_EQ(core.offered(), "a a b a a a ");
}

TEST_F(LostVerdict, ARefusedFirstOneIsForgotten) {
  core.refuse_all("b");
  start_client();
  EXPECT_TRUE(begin_apply(manifest("b"), {}).get().kept);
  start_server();
  ASSERT_TRUE(events.wait_up(1));
  EXPECT_FALSE(events.verdict().accepted);
  restart_server();
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_EQ(core.offered(), "b ");
  EXPECT_EQ(events.verdict().generation, 0U);
}

}  // namespace
}  // namespace sluice
