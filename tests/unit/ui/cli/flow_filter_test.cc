#include "ui/cli/flow_filter.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

pb::Flow flow() {
  pb::Flow out;
  out.set_id(7);
  out.mutable_source()->set_ip("192.168.1.20");
  out.set_client_name("Phone");
  out.set_client_mac("02:00:5e:10:00:01");
  out.set_host("www.example.test");
  out.mutable_destination()->set_ip("203.0.113.7");
  out.set_rule("DomainSuffix");
  out.set_rule_payload("example.test");
  out.add_chains("hk-03");
  out.add_chains("Proxy");
  return out;
}

TEST(FlowFilter, AClientIsAnAddressAPrefixANameOrAHardwareAddress) {
  for (const char* wanted : {"192.168.1.20", "192.168.1.0/24", "phone", "02:00:5E:10:00:01"})
    EXPECT_TRUE((FlowFilter{.client = wanted}).wants(flow())) << wanted;
  for (const char* other : {"192.168.1.2", "192.168.2.0/24", "pho", "fd00::/8"})
    EXPECT_FALSE((FlowFilter{.client = other}).wants(flow())) << other;
}

TEST(FlowFilter, AHostIsANameWithThoseBelowItOrAnAddress) {
  for (const char* wanted : {"www.example.test", "example.test", "EXAMPLE.test", "203.0.113.7"})
    EXPECT_TRUE((FlowFilter{.host = wanted}).wants(flow())) << wanted;
  for (const char* other : {"ample.test", "a.www.example.test", "203.0.113.8"})
    EXPECT_FALSE((FlowFilter{.host = other}).wants(flow())) << other;
}

TEST(FlowFilter, AnOutboundIsAnywhereInTheChainAndARuleIsWrittenOrAPartOfIt) {
  EXPECT_TRUE((FlowFilter{.outbound = "Proxy"}).wants(flow()));
  EXPECT_TRUE((FlowFilter{.outbound = "hk-03"}).wants(flow()));
  EXPECT_FALSE((FlowFilter{.outbound = "DIRECT"}).wants(flow()));
  for (const char* wanted : {"DOMAIN-SUFFIX,example.test", "domain-suffix", "example.test"})
    EXPECT_TRUE((FlowFilter{.rule = wanted}).wants(flow())) << wanted;
  EXPECT_FALSE((FlowFilter{.rule = "MATCH"}).wants(flow()));
  EXPECT_FALSE((FlowFilter{.host = "example.test", .outbound = "DIRECT"}).wants(flow())) << "both";
}

TEST(FlowRates, AreWhatMovedBetweenTwoLooks) {
  FlowRates rates;
  pb::FlowTable table;
  *table.add_flows() = flow();
  table.mutable_flows(0)->set_download(1000);
  rates.look(table, Moment{0});
  EXPECT_FALSE(rates.known());
  table.mutable_flows(0)->set_download(5000);
  table.mutable_flows(0)->set_upload(100);
  rates.look(table, Moment{2000});
  EXPECT_EQ(rates.of(table.flows(0)).down, 2000U);
  EXPECT_EQ(rates.of(table.flows(0)).up, 50U);
  table.mutable_flows(0)->set_download(1);  // another data plane uses the number
  rates.look(table, Moment{3000});
  EXPECT_EQ(rates.of(table.flows(0)).down, 0U);
}

TEST(FlowFilter, SlowFlowsAreLeftOutOnceRatesAreKnown) {
  FlowRates rates;
  pb::FlowTable table;
  for (std::uint64_t id = 1; id <= 2; ++id) {
    *table.add_flows() = flow();
    table.mutable_flows(static_cast<int>(id - 1))->set_id(id);
  }
  rates.look(table, Moment{0});
  keep_wanted(table, {.min_rate = 100}, rates);
  EXPECT_EQ(table.flows_size(), 2) << "nobody knows yet";
  table.mutable_flows(1)->set_download(100);
  rates.look(table, Moment{1000});
  keep_wanted(table, {.min_rate = 100}, rates);
  ASSERT_EQ(table.flows_size(), 1);
  EXPECT_EQ(table.flows(0).id(), 2U);
}

}  // namespace
}  // namespace sluice::cli
