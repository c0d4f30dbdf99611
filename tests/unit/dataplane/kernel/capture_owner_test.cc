#include "dataplane/kernel/capture_owner.h"

#include <atomic>
#include <memory>

#include "dataplane/kernel/lan_addresses.h"
#include "dataplane/kernel/reserved.h"
#include "kernel_test_support.h"

namespace sluice::kernel {
namespace {

using test::has;
using test::output_of;
using test::small_table;

class Owner : public test::Namespace {
 protected:
  void SetUp() override {
    test::Namespace::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Result<PolicyRoutes> routes = PolicyRoutes::open();
    ASSERT_TRUE(routes);
    owner.emplace(helpers, std::move(*routes));
  }
  static std::string tables() { return output_of("nft list tables"); }
  static std::string rules() { return output_of("ip rule; ip -6 rule"); }
  static std::string clean_rules() { return output_of("unshare -n sh -c 'ip rule; ip -6 rule'"); }
  static void expect_nothing_left() {
    EXPECT_EQ(tables(), "");
    EXPECT_EQ(rules(), clean_rules());
    EXPECT_FALSE(
        has(output_of("ip route show table all; ip -6 route show table all"), " table 100"));
  }
  test::Helpers helpers;
  std::optional<CaptureOwner> owner;
  Refusal why;
};

TEST_F(Owner, AppliesTableRulesAndRoutesAndLeavesNothingAfterStop) {
  ASSERT_TRUE(owner->apply(small_table(), why)) << why.text;
  EXPECT_TRUE(owner->active());
  EXPECT_EQ(tables(), "table inet sluice\n");
  EXPECT_TRUE(has(rules(), "1024:\tfrom all fwmark 0x200/0xff00 lookup 100")) << rules();
  EXPECT_TRUE(has(rules(), "1023:\tfrom all to 192.168.7.0/24 fwmark 0x200/0xff00 lookup main"));
  EXPECT_TRUE(has(rules(), "1023:\tfrom all to fd07::/64 fwmark 0x200/0xff00 lookup main"));
  EXPECT_TRUE(has(output_of("ip route show table 100"), "local default dev lo"));
  EXPECT_TRUE(has(output_of("ip -6 route show table 100"), "local default dev lo"));
  owner->stop();
  expect_nothing_left();
}

// B139: one clear message, no partial table, route or rule.
TEST_F(Owner, B139AMissingFeatureIsNamedAndNothingStays) {
  helpers.spoil = [](const nft::Request& request) {
    return request.command == nft::Command::probe ? ENOENT : 0;
  };
  const Status status = owner->apply(small_table(), why);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::denied);
  EXPECT_EQ(why.text, "probe: this kernel lacks nft_tproxy");
  EXPECT_EQ(owner->helper_fd(), -1);
  expect_nothing_left();
}

TEST_F(Owner, ARefusedFirstApplyLeavesNothing) {
  helpers.spoil = [](const nft::Request& request) {
    return request.command == nft::Command::apply ? EINVAL : 0;
  };
  EXPECT_EQ(owner->apply(small_table(), why).error().code, Errc::denied);
  EXPECT_FALSE(owner->active());
  expect_nothing_left();
}

TEST_F(Owner, ARefusedChangeKeepsTheFormerState) {
  ASSERT_TRUE(owner->apply(small_table(), why));
  const std::string before = output_of("nft list table inet sluice; ip rule; ip -6 rule");
  nft::CaptureTable bad = small_table();
  bad.lan.clear();
  bad.bypass = {Prefix::parse("10.0.0.0/8").value(), Prefix::parse("10.1.0.0/16").value()};
  EXPECT_EQ(owner->apply(bad, why).error().code, Errc::denied);
  EXPECT_EQ(output_of("nft list table inet sluice; ip rule; ip -6 rule"), before);
  EXPECT_EQ(*owner->desired(), small_table());
}

TEST_F(Owner, OtherNumbersLieBeforeTheFormerOnesGo) {
  PolicyRoutes routes = std::move(*PolicyRoutes::open());
  const std::vector<Prefix> lan{Prefix::parse("192.168.7.0/24").value()};
  const RouteKeys first;
  const RouteKeys second{{7000, 900}, {}};
  const std::string new_rule = "900:\tfrom all fwmark 0x200/0xff00 lookup 7000";
  const std::string new_lan = "899:\tfrom all to 192.168.7.0/24 fwmark 0x200/0xff00 lookup main";
  const std::string old_rule = "1024:\tfrom all fwmark 0x200/0xff00 lookup 100";
  ASSERT_TRUE(routes.lay(first, lan));
  routes.settle();
  const std::string before = rules();

  ASSERT_TRUE(routes.lay(second, lan));
  EXPECT_TRUE(has(rules(), new_rule) && has(rules(), new_lan) && has(rules(), old_rule)) << rules();
  EXPECT_TRUE(has(output_of("ip -6 route show table 7000"), "local default dev lo"));
  EXPECT_TRUE(has(output_of("ip -6 route show table 100"), "local default dev lo"));
  routes.take_back();
  EXPECT_EQ(rules(), before);
  EXPECT_EQ(output_of("ip route show table 7000; ip -6 route show table 7000 2>/dev/null"), "");

  ASSERT_TRUE(routes.lay(second, lan));
  routes.settle();
  EXPECT_TRUE(has(rules(), new_rule));
  EXPECT_FALSE(has(rules(), old_rule));
  EXPECT_FALSE(has(output_of("ip route show table all"), "table 100 "));
  routes.remove();
  EXPECT_EQ(rules(), clean_rules());
}

TEST_F(Owner, ARefusedChangeOfNumbersAndMarksLeavesRulesAndRoutes) {
  ASSERT_TRUE(owner->apply(small_table(), why));
  const std::string look = "ip rule; ip -6 rule; ip route show table all; nft list ruleset";
  const std::string before = output_of(look);
  nft::CaptureTable other = small_table();
  other.marks.tproxy = 0x800;
  helpers.spoil = [](const nft::Request& request) {
    return request.command == nft::Command::apply ? EINVAL : 0;
  };
  EXPECT_FALSE(owner->apply(other, why, {7000, 900}));
  EXPECT_EQ(output_of(look), before);
  helpers.spoil = {};
  ASSERT_TRUE(owner->apply(other, why, {7000, 900})) << why.text;
  EXPECT_TRUE(has(rules(), "900:\tfrom all fwmark 0x800/0xff00 lookup 7000"));
  EXPECT_FALSE(has(rules(), "lookup 100\n"));
  owner->stop();
  expect_nothing_left();
}

// A run that was killed noted other numbers than this one uses, and this one captures nothing.
TEST_F(Owner, NotedLeftoversGoWithoutAnyCapture) {
  ASSERT_EQ(std::system("ip rule add pref 900 fwmark 0x10/0xf0 lookup 7000;"
                        "ip rule add pref 899 to 10.9.0.0/16 fwmark 0x10/0xf0 lookup main;"
                        "ip route add local default dev lo table 7000 proto static"),
            0);
  RouteKeys noted{{7000, 900}, {}};
  noted.marks.mask = 0xf0;
  noted.marks.tproxy = 0x10;
  owner.emplace(helpers, std::move(*PolicyRoutes::open()), std::vector{noted});
  ASSERT_TRUE(owner->open_guard(why));
  EXPECT_EQ(rules(), clean_rules());
  EXPECT_FALSE(has(output_of("ip route show table all"), "table 7000"));
}

// The n-th command kills the helper, for n = 0, 1, ... until apply passes.
TEST_F(Owner, AHelperThatDiesAnywhereLeavesNothingOrAll) {
  for (int n = 0;; ++n) {
    ASSERT_LT(n, 10);
    // Shared: a helper's thread may still ask when this round is over.
    const auto left = std::make_shared<std::atomic<int>>(n);
    helpers.spoil = [left](const nft::Request&) { return left->fetch_sub(1) == 0 ? -1 : 0; };
    const Status status = owner->apply(small_table(), why);
    if (status) {
      EXPECT_TRUE(owner->active());
      EXPECT_GT(n, 2);
      break;
    }
    EXPECT_FALSE(owner->active());
    EXPECT_EQ(rules(), clean_rules()) << n;
  }
}

TEST_F(Owner, ADeadHelperIsReplacedWithTheSameState) {
  ASSERT_TRUE(owner->apply(small_table(), why));
  const std::vector<Prefix> direct{Prefix::parse("203.0.113.0/24").value()};
  ASSERT_TRUE(owner->add_direct(nft::SetId::prefixes, direct, why));
  ASSERT_TRUE(owner->set_dns_redirect(false, why));
  const std::string before = output_of("nft list table inet sluice");
  helpers.kill_current();
  ASSERT_TRUE(wait_readable(owner->helper_fd(), 2000)) << "death is visible on the descriptor";
  ASSERT_TRUE(owner->recover(why)) << why.text;
  EXPECT_EQ(helpers.started, 2);
  EXPECT_EQ(output_of("nft list table inet sluice"), before);
}

// Its own end of file would come too late: it owns the table, and a command is queued for it.
TEST_F(Owner, AHelperThatStallsAndLivesIsReplacedWithTheFormerState) {
  helpers.as_processes = true;
  ASSERT_TRUE(owner->apply(small_table(), why)) << why.text;
  const std::string look = "nft list table inet sluice; ip rule; ip -6 rule";
  const std::string before = output_of(look);
  // As somebody who watches the descriptor does: the helper sees no end of file.
  const UniqueFd watched(::dup(owner->helper_fd()));
  const pid_t stalled = helpers.processes.at(0);
  ASSERT_EQ(::kill(stalled, SIGSTOP), 0);
  nft::CaptureTable other = small_table();
  other.tcp_port = 5200;
  EXPECT_EQ(owner->apply(other, why, {7000, 900}).error().code, Errc::timeout);
  ::kill(stalled, SIGCONT);
  EXPECT_TRUE(owner->active());
  EXPECT_EQ(helpers.started, 2);
  EXPECT_EQ(output_of(look), before);
}

// The last step of an Apply is about the guard; a helper that is lost there took the table along.
TEST_F(Owner, AHelperLostAtTheLastStepRefusesTheApplyAndTheFormerStateIsBack) {
  ASSERT_TRUE(owner->apply(small_table(), why));
  const std::string before = output_of("nft list table inet sluice");
  const auto deaths = std::make_shared<std::atomic<int>>(1);
  helpers.spoil = [deaths](const nft::Request& request) {
    return request.command == nft::Command::remove_guard && deaths->fetch_sub(1) == 1 ? -1 : 0;
  };
  nft::CaptureTable other = small_table();
  other.tcp_port = 5200;
  EXPECT_EQ(owner->apply(other, why).error().code, Errc::timeout);
  EXPECT_EQ(why.text, "sluice-nft does not answer");
  EXPECT_TRUE(owner->active());
  EXPECT_EQ(*owner->desired(), small_table());
  EXPECT_EQ(output_of("nft list table inet sluice"), before);
}

TEST_F(Owner, RecoveryCanBeTriedAgain) {
  ASSERT_TRUE(owner->apply(small_table(), why));
  helpers.kill_current();
  helpers.refuse_start = true;
  EXPECT_FALSE(owner->recover(why));
  EXPECT_TRUE(has(why.text, "cannot start sluice-nft"));
  helpers.refuse_start = false;
  EXPECT_TRUE(owner->recover(why));
  EXPECT_EQ(tables(), "table inet sluice\n");
}

TEST_F(Owner, FailClosedOutlivesAnUncleanEndButNotACleanStop) {
  nft::CaptureTable closed = small_table();
  closed.fail_closed = true;
  ASSERT_TRUE(owner->apply(closed, why));
  owner.reset();  // as a crash: no stop()
  EXPECT_EQ(tables(), "table inet sluice_guard\n");
  EXPECT_EQ(rules(), clean_rules());

  owner.emplace(helpers, std::move(*PolicyRoutes::open()));
  ASSERT_TRUE(owner->open_guard(why)) << "sluice capture open";
  EXPECT_EQ(tables(), "");
  ASSERT_TRUE(owner->apply(closed, why));
  ASSERT_TRUE(owner->apply(small_table(), why)) << "when-down: open again";
  EXPECT_EQ(tables(), "table inet sluice\n");
  ASSERT_TRUE(owner->apply(closed, why));
  owner->stop();
  expect_nothing_left();
}

TEST_F(Owner, LeftoversOfAnEarlierRunGoAtTheFirstApply) {
  ASSERT_EQ(std::system("nft add table inet sluice;"
                        "ip rule add pref 1024 fwmark 0x200/0xff00 lookup 100;"
                        "ip rule add pref 1023 to 10.9.0.0/16 fwmark 0x200/0xff00 lookup main;"
                        "ip rule add pref 1024 fwmark 0x7/0xff lookup 77;"
                        "ip route add local default dev lo table 100"),
            0);
  ASSERT_TRUE(owner->apply(small_table(), why)) << why.text;
  EXPECT_FALSE(has(rules(), "10.9.0.0/16"));
  EXPECT_TRUE(has(rules(), "fwmark 0x7/0xff lookup 77")) << "somebody else's";
  owner->stop();
  EXPECT_TRUE(has(rules(), "fwmark 0x7/0xff lookup 77"));
  EXPECT_FALSE(has(rules(), "0x200"));
}

TEST_F(Owner, NewLanSubnetsGetTheirRule) {
  ASSERT_TRUE(owner->apply(small_table(), why));
  Result<LinkWatch> watch = LinkWatch::open();
  ASSERT_TRUE(watch);
  EXPECT_FALSE(watch->drain());
  ASSERT_EQ(std::system("ip addr add 192.168.8.1/24 dev lan0; ip addr del 192.168.7.1/24 dev lan0"),
            0);
  ASSERT_TRUE(wait_readable(watch->fd(), 2000));
  EXPECT_TRUE(watch->drain());
  ASSERT_TRUE(owner->refresh_lan());
  EXPECT_TRUE(has(rules(), "to 192.168.8.0/24 fwmark"));
  EXPECT_FALSE(has(rules(), "to 192.168.7.0/24 fwmark"));
}

TEST(Reserved, IsWhatAnIntervalSetTakes) {
  const std::vector<Prefix> reserved = reserved_prefixes();
  EXPECT_EQ(reserved.size(), 17U);
  EXPECT_EQ(disjoint(reserved).size(), reserved.size());
  std::vector<Prefix> nested;
  for (const char* text : {"10.1.0.0/16", "10.0.0.0/8", "10.1.2.0/24", "11.0.0.0/8", "10.0.0.0/8",
                           "2001:db8::1/128", "2001:db8::/32"})
    nested.push_back(Prefix::parse(text).value());
  const std::vector<Prefix> apart = disjoint(nested);
  ASSERT_EQ(apart.size(), 3U);
  EXPECT_EQ(apart[0].to_string(), "10.0.0.0/8");
  EXPECT_EQ(apart[1].to_string(), "11.0.0.0/8");
  EXPECT_EQ(apart[2].to_string(), "2001:db8::/32");
}

}  // namespace
}  // namespace sluice::kernel
