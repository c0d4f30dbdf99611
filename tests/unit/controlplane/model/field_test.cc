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
  EXPECT_EQ(config.rules.size(), 40U);
}

// What a new installation starts with says nothing, opens loopback only, and sends all DIRECT.
TEST(DefaultConfig, LoadsWithoutAWordAndStaysOnLoopback) {
  const Config config = clean(golden("../../packaging/defaults/config.yaml"));
  ASSERT_EQ(config.listeners.size(), 1U);
  EXPECT_EQ(config.listeners[0].name, "DEFAULT-MIXED");
  EXPECT_EQ(config.listeners[0].port, 7890);
  EXPECT_EQ(config.listeners[0].address.to_string(), "127.0.0.1");
  EXPECT_TRUE(config.dns.enable);
  EXPECT_EQ(config.dns.listen->to_string(), "127.0.0.1:1053");
  EXPECT_EQ(config.dns.mode, DnsMode::fake_ip);
  EXPECT_FALSE(config.sluice.capture.enabled());
  ASSERT_EQ(config.rules.size(), 1U);
  EXPECT_EQ(config.rules[0].target, "DIRECT");
}

}  // namespace
}  // namespace sluice::model
