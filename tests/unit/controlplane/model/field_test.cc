#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

// A configuration as people run it today: 20 proxies of types not built yet, 3 groups, 40 rules.
// tests/golden/configs/field.warnings holds every line that is said about it, and nothing else.
TEST(FieldConfig, LoadsWithExactlyTheExpectedWarnings) {
  const LoadResult result = load_config(golden("configs/field.yaml"), "field.yaml");
  ASSERT_TRUE(result.config) << said(result);
  EXPECT_EQ(said(result), golden("configs/field.warnings"));
  EXPECT_EQ(result.config->proxies.size(), 20U);
  for (const Proxy& proxy : result.config->proxies) EXPECT_FALSE(proxy.built()) << proxy.name;
  EXPECT_EQ(result.config->groups.size(), 3U);
}

TEST(FieldConfig, WhatIsBuiltWorks) {
  const Config config = loaded(golden("configs/field.yaml"));
  EXPECT_EQ(config.general.mixed_port, 7890);
  EXPECT_EQ(config.find_group("PROXY")->initial, "AUTO");
  EXPECT_EQ(config.find_group("AUTO")->initial, "");  // none of its members is built: refuses
  EXPECT_EQ(config.find_group("Direct or not")->initial, "DIRECT");
  EXPECT_EQ(config.dns.mode, DnsMode::fake_ip);
  EXPECT_EQ(config.dns.nameserver.size(), 2U);
  EXPECT_EQ(config.rules.front().index, 1U);  // the first line is of a type that is not built
  EXPECT_EQ(config.rules.back().index, 39U);
  EXPECT_EQ(config.rules.size(), 32U);
}

}  // namespace
}  // namespace sluice::model
