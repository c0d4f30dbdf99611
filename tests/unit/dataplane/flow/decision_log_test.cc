#include "dataplane/flow/decision_log.h"

#include <gtest/gtest.h>

namespace sluice::flow {
namespace {

TEST(DecisionLog, NamesFlowRuleAndWay) {
  contract::FlowInfo info;
  info.network = Network::tcp;
  info.source = *Endpoint::parse("192.0.2.1:4000");
  info.destination = {"a.test", {}, 443};
  info.rule_index = 3;
  info.rule = "DomainSuffix";
  info.rule_payload = "test";
  info.chains = {"hk-03", "Proxy"};
  EXPECT_EQ(decision_text(info),
            "tcp 192.0.2.1:4000 -> a.test:443 rule=3 (DOMAIN-SUFFIX,test) via=Proxy > hk-03");
  info.rule_list = "ads";
  info.rule = "Match";
  info.rule_payload.clear();
  EXPECT_EQ(decision_text(info),
            "tcp 192.0.2.1:4000 -> a.test:443 rule=ads/3 (MATCH) via=Proxy > hk-03");
  info.rule_index = -1;
  info.network = Network::udp;
  info.chains = {"DIRECT"};
  EXPECT_EQ(decision_text(info), "udp 192.0.2.1:4000 -> a.test:443 rule=none via=DIRECT");
}

}  // namespace
}  // namespace sluice::flow
