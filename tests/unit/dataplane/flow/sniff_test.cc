// Which flows are looked at before their rules, what the answers change, and whom nobody waits for.
#include <fstream>

#include "dataplane/flow/sniff_failures.h"
#include "dataplane/flow/sniff_policy.h"
#include "tests/unit/dataplane/flow/rig.h"
#include "tests/unit/dataplane/flow/sniff_rules.h"

namespace sluice::flow {
namespace {

using contract::DnsMode;
using contract::InboundType;
using contract::Protocol;

class SniffPolicy : public SniffRig {
 protected:
  /// Empty: it is looked at.
  std::string_view why_not(const Request& request, DnsMode mode = DnsMode::normal,
                           bool lost = false) {
    const SniffPlan plan = plan_look(*snapshots.back(), {request, request.destination, mode, lost});
    EXPECT_EQ(plan.look, plan.why.empty());
    return plan.why;
  }
};

TEST_F(SniffPolicy, TheTable) {
  use_sniffer([](contract::Sniffer&) {});
  struct Row {
    const char* to;
    std::string_view why_not;
    DnsMode mode = DnsMode::normal;
    Network network = Network::tcp;
    InboundType type = InboundType::tproxy;
    const char* source = "192.0.2.9:5000";
  };
  constexpr std::string_view kPort = "nothing is looked for on its port";
  constexpr std::string_view kNamed = "what it goes to is not asked behind";
  constexpr std::string_view kExcepted = "its source or its destination is an exception";
  const Row rows[] = {
      {"203.0.113.1:443", ""},
      {"203.0.113.1:8080", ""},  // HTTP has 80 and 8000-8100
      {"203.0.113.1:8101", kPort},
      {"203.0.113.1:22", kPort},
      {"203.0.113.1:443", "", DnsMode::normal, Network::udp},
      {"203.0.113.1:80", kPort, DnsMode::normal, Network::udp},
      {"[2001:db8::1]:443", ""},
      {"203.0.113.1:443", "", DnsMode::normal, Network::tcp, InboundType::socks5},
      {"203.0.113.1:443", "", DnsMode::normal, Network::tcp, InboundType::https},
      {"203.0.113.1:443", "its request names the host", DnsMode::normal, Network::tcp,
       InboundType::http},
      {"203.0.113.1:443", "it is one of our own", DnsMode::normal, Network::tcp,
       InboundType::inner},
      {"named.test:443", kNamed},
      {"named.test:443", kNamed, DnsMode::fake_ip},
      {"named.test:443", "", DnsMode::mapping},
      {"x.forced.test:443", ""},
      {"x.forced.test:443", "", DnsMode::fake_ip},
      {"x.forced.test:22", kPort},
      {"198.51.100.1:443", kExcepted},
      {"203.0.113.1:443", kExcepted, DnsMode::normal, Network::tcp, InboundType::tproxy,
       "192.0.2.3:5000"},
  };
  for (const Row& row : rows) {
    Request request = to(row.to);
    request.network = row.network;
    request.inbound_type = row.type;
    request.source = *Endpoint::parse(row.source);
    EXPECT_EQ(why_not(request, row.mode), row.why_not) << row.to << " " << row.source;
  }
}

TEST_F(SniffPolicy, EachSwitchTakesItsFlowsOut) {
  use_sniffer([](contract::Sniffer& s) { s.enable = false; });
  EXPECT_EQ(why_not(to("203.0.113.1:443")), "the sniffer is off");
  use_sniffer([](contract::Sniffer& s) { s.parse_pure_ip = false; });
  EXPECT_NE(why_not(to("203.0.113.1:443")), "");
  EXPECT_EQ(why_not(to("named.test:443"), DnsMode::mapping), "");
  use_sniffer([](contract::Sniffer& s) { s.force_dns_mapping = false; });
  EXPECT_EQ(why_not(to("203.0.113.1:443")), "");
  EXPECT_NE(why_not(to("named.test:443"), DnsMode::mapping), "");
  EXPECT_EQ(why_not(to("x.forced.test:443"), DnsMode::mapping), "");
}

TEST_F(SniffPolicy, NobodyWaitsForAnAnswerThatNothingUses) {
  constexpr std::string_view kUseless = "neither a rule nor the dial could use the answer";
  const auto no_override = [](contract::Sniffer& s) { s.tls.override_destination = false; };
  use_sniffer(no_override);
  EXPECT_EQ(why_not(to("203.0.113.1:443")), "") << "a rule compares names";
  EXPECT_EQ(why_not(to("198.18.0.9:443"), DnsMode::normal, true), kUseless)
      << "without a dial a lost address leads nowhere";
  Request direct = to("203.0.113.1:443");
  direct.outbound = "DIRECT";
  EXPECT_EQ(why_not(direct), kUseless);
  use_sniffer(no_override, [](contract::Manifest& m) { m.mode = contract::Mode::direct; });
  EXPECT_EQ(why_not(to("203.0.113.1:443")), kUseless);
  use_sniffer([](contract::Sniffer&) {},
              [](contract::Manifest& m) { m.mode = contract::Mode::direct; });
  EXPECT_EQ(why_not(to("203.0.113.1:443")), "") << "it is dialled";
  use_sniffer(no_override, [](contract::Manifest&) {}, ruleset::Condition::network(Network::udp));
  EXPECT_EQ(why_not(to("203.0.113.1:443")), kUseless) << "no rule compares names";
}

TEST_F(SniffPolicy, WhatCountsOfAnAnswer) {
  use_sniffer([](contract::Sniffer& s) { s.http.override_destination = false; });
  const auto use = [this](const char* where, Protocol protocol, const char* host) {
    const SniffUse out = use_of(*snapshots.back(), to(where), {protocol, host});
    return std::pair(out.rules, out.dial);
  };
  EXPECT_EQ(use("203.0.113.1:443", Protocol::tls, "a.test"), std::pair(true, true));
  EXPECT_EQ(use("203.0.113.1:80", Protocol::http, "a.test"), std::pair(true, false));
  EXPECT_EQ(use("203.0.113.1:80", Protocol::tls, "a.test"), std::pair(false, false));
  EXPECT_EQ(use("203.0.113.1:443", Protocol::tls, ""), std::pair(false, false));
  EXPECT_EQ(use("203.0.113.1:443", Protocol::tls, "x.skipped.test"), std::pair(false, false));
  EXPECT_EQ(use("203.0.113.1:443", Protocol::dtls, "a.test"), std::pair(false, false));
  EXPECT_EQ(use("203.0.113.1:443", Protocol::quic, "a.test"), std::pair(false, false))
      << "no QUIC in a stream";
}

TEST(SniffFailures, AfterMoreThanFiveInARowADestinationIsSparedForTenMinutes) {
  SniffFailures failures;
  Moment now{1'000'000};
  const std::uint64_t key =
      SniffFailures::key_of(Network::tcp, *Destination::from_host("203.0.113.1", 25));
  const std::uint64_t other =
      SniffFailures::key_of(Network::tcp, *Destination::from_host("203.0.113.1", 26));
  EXPECT_NE(key, SniffFailures::key_of(Network::udp, *Destination::from_host("203.0.113.1", 25)));
  for (unsigned i = 0; i < kSniffFailures; ++i) failures.failed(key, now);
  EXPECT_FALSE(failures.skips(key, now));
  failures.failed(key, now);
  EXPECT_TRUE(failures.skips(key, now));
  EXPECT_FALSE(failures.skips(other, now));
  now = now + Millis{kSniffSkip.count - 1};
  EXPECT_TRUE(failures.skips(key, now));
  now = now + 1_ms;
  EXPECT_FALSE(failures.skips(key, now));
  failures.failed(key, now);
  EXPECT_FALSE(failures.skips(key, now)) << "an old row counts no more";
}

TEST(SniffFailures, OneSuccessForgetsThem) {
  SniffFailures failures;
  const Moment now{1'000'000};
  for (int i = 0; i < 6; ++i) failures.failed(7, now);
  failures.worked(7);
  EXPECT_FALSE(failures.skips(7, now));
  failures.failed(7, now);
  EXPECT_FALSE(failures.skips(7, now));
}

TEST(SniffFailures, TheOneThatFailedLongestAgoGoesFirst) {
  SniffFailures failures;
  Moment now{1'000'000};
  for (std::uint64_t key = 1; key <= kSniffDestinations; ++key, now = now + 1_ms)
    for (int i = 0; i < 6; ++i) failures.failed(key, now);
  for (int i = 0; i < 6; ++i) failures.failed(9'999, now);
  EXPECT_FALSE(failures.skips(1, now));
  for (std::uint64_t key = 2; key <= kSniffDestinations; ++key)
    EXPECT_TRUE(failures.skips(key, now)) << key;
  EXPECT_TRUE(failures.skips(9'999, now));
}

}  // namespace
}  // namespace sluice::flow
