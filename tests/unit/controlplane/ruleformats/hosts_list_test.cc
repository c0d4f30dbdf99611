#include "controlplane/ruleformats/hosts_list.h"

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

TEST(HostsList, NamesThatLeadNowhere) {
  Recorder got;
  const auto tally = read_hosts_list(
      as_byte_view("# hosts\n127.0.0.1 localhost\n::1\tip6-localhost ip6-loopback\n"
                   "fe80::1%lo0 localhost\n0.0.0.0 0.0.0.0\n0.0.0.0 Ads.test tracker.test # two\n"
                   ":: v6.test\r\n127.0.0.1\tlocal.ad.test\n"),
      {}, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(*tally, (Tally{4, 0}));
  EXPECT_EQ(got.entries, (Strings{"exact ads.test", "exact tracker.test", "exact v6.test",
                                  "exact local.ad.test"}));
  EXPECT_EQ(got.places[1], (Place{1, 6, 18}));
}

TEST(HostsList, RealAddressesAndBrokenLinesAreFaults) {
  Recorder got;
  const auto tally = read_hosts_list(
      as_byte_view("192.0.2.1 server.test\nads.test\n0.0.0.0 a/b\n0.0.0.0\n"), {}, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(
      got.faults,
      (Strings{"1:11: server.test is given an address; a set only holds names that lead nowhere",
               "2:0: ads.test does not start with an address",
               "3:9: a/b has a character that no name has"}));
}

}  // namespace
}  // namespace sluice::ruleformats
