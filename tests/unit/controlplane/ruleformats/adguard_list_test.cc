#include "controlplane/ruleformats/adguard_list.h"

#include "controlplane/ruleformats/adguard_pattern.h"
#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

Strings entries_of(std::string_view text) {
  Recorder got;
  EXPECT_TRUE(read_adguard_list(as_byte_view(text), {}, got));
  EXPECT_EQ(got.faults, Strings{}) << text;
  return got.entries;
}

TEST(AdguardList, EveryAnchorHasItsMeaning) {
  EXPECT_EQ(entries_of("||Ads.test^"), Strings{"suffix ads.test"});
  EXPECT_EQ(entries_of("||ads.test^|"), Strings{"suffix ads.test"});
  EXPECT_EQ(entries_of("|ads.test^"), Strings{"exact ads.test"});
  EXPECT_EQ(entries_of("|ads.test|"), Strings{"exact ads.test"});
  EXPECT_EQ(entries_of("ads.test^"), Strings{"glob *ads.test"});
  EXPECT_EQ(entries_of("||ads."), (Strings{"glob ads.*", "glob *.ads.*"}));
  EXPECT_EQ(entries_of("|ads."), Strings{"glob ads.*"});
  EXPECT_EQ(entries_of("-banner-"), Strings{"keyword -banner-"});
  EXPECT_EQ(entries_of(".ads."), Strings{"keyword .ads."});
  EXPECT_EQ(entries_of("ads.test"), Strings{"exact ads.test"});
  EXPECT_EQ(entries_of("||ads*.test^"), (Strings{"glob ads*.test", "glob *.ads*.test"}));
  EXPECT_EQ(entries_of("||*.ads.test^"), Strings{"below ads.test"});
  EXPECT_EQ(entries_of("||*ads**x.test^"), Strings{"glob *ads*x.test"});
}

TEST(AdguardList, ExceptionsAndMarksBecomeWeights) {
  EXPECT_EQ(entries_of("@@||good.test^\n||bad.test^$important\n@@|both.test^$important\n"
                       "/^a[0-9]{1,2}$/\n@@/b$/$important\n"),
            (Strings{"@@suffix good.test", "!suffix bad.test", "@@!exact both.test",
                     "regex ^a[0-9]{1,2}$", "@@!regex b$"}));
}

TEST(AdguardList, CommentsHeadersAndHostsLinesMixIn) {
  EXPECT_EQ(entries_of("[Adblock Plus 2.0]\n! Title: x\n# note\n##.banner\n"
                       "0.0.0.0 hosts.test # why\n127.0.0.1 localhost\n||z.test^\n"),
            (Strings{"exact hosts.test", "suffix z.test"}));
}

TEST(AdguardList, RulesAboutPagesAreFaults) {
  Recorder got;
  const auto tally = read_adguard_list(
      as_byte_view("x.test##.ad\n||x.test^$third-party\n||x.test/path^\n|https://x.test^\n"
                   "||192.0.2.1^\n*\n||a,b^\n//\n||ok.test^\n"),
      {}, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(got.entries, Strings{"suffix ok.test"});
  EXPECT_EQ(
      got.faults,
      (Strings{"1:1: x.test##.ad is about parts of pages, not names",
               "2:1: ||x.test^$third-party has a modifier that does not concern names alone",
               "3:1: ||x.test/path^ is about addresses of pages, not names",
               "4:1: |https://x.test^ is about addresses of pages, not names",
               "5:1: ||192.0.2.1^ is an address, not a name", "6:1: * names nothing in particular",
               "7:1: ||a,b^ has a character that no name has", "8:1:  is empty"}));
}

}  // namespace
}  // namespace sluice::ruleformats
