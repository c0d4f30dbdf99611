#include "controlplane/compile/legend.h"

#include <algorithm>

#include "controlplane/compile/compile.h"
#include "controlplane/model/load.h"
#include "tests/unit/controlplane/compile/text_sets.h"

namespace sluice::compile {
namespace {

constexpr std::string_view kText = R"(mixed-port: 7890
dns: {enable: true, listen: "127.0.0.1:1053"}
listeners:
  - {name: lan, type: socks, port: [7901, 7902]}
proxies:
  - {name: n, type: socks5, server: 192.0.2.1, port: 1080}
  - {name: later, type: vmess, server: 192.0.2.1, port: 1}
  - {name: wrapped, type: socks5, server: 192.0.2.1, port: 2, tls: true}
proxy-groups:
  - {name: auto, type: url-test, proxies: [later, n]}
  - {name: dead, type: fallback, proxies: [later]}
rules:
  - IN-TYPE,TUN,DIRECT
  - DOMAIN,a.test,n
  - IN-TYPE,VLESS,DIRECT
  - MATCH,auto
)";

struct Compiled {
  Legend legend;
  contract::Manifest manifest;
};

Compiled compiled() {
  const auto loaded = model::load_config(kText, "f.yaml");
  EXPECT_TRUE(loaded.config);
  TextSets inputs;
  auto out = compile(*loaded.config, {inputs, inputs});
  EXPECT_TRUE(out);
  return {make_legend(*loaded.config, "f.yaml"), std::move(out->manifest)};
}

std::string at(const model::Place& place) {
  return std::to_string(place.at.line) + ":" + std::to_string(place.at.column) + " " + place.path;
}

// Skipped lines count: the number is the line's place in the user's list.
TEST(Legend, RulesAreKnownByTheirPlaceInTheUsersList) {
  const Compiled c = compiled();
  ASSERT_EQ(c.manifest.rules.size(), 2U);
  EXPECT_EQ(c.manifest.rules[0].number, 1U);
  EXPECT_EQ(c.manifest.rules[1].number, 3U);
  EXPECT_EQ(c.legend.rule(1), (model::Position{14, 5}));
  EXPECT_EQ(c.legend.rule(3), (model::Position{16, 5}));
  for (const std::int32_t none : {-1, 0, 2, 4}) EXPECT_FALSE(c.legend.rule(none)) << none;
}

TEST(Legend, PlacesOfTheManifestAreTheUsers) {
  const Compiled c = compiled();
  EXPECT_EQ(at(c.legend.place_of("listeners[0].port")), "1:13 mixed-port");
  EXPECT_EQ(at(c.legend.place_of("listeners[2].port")), "4:43 listeners[0].port[1]");
  EXPECT_EQ(at(c.legend.place_of("rules[1].payload")), "16:5 rules[3]");
  EXPECT_EQ(at(c.legend.place_of("dns.listen")), "2:29 dns.listen");
  EXPECT_EQ(at(c.legend.place_of("capture.interfaces[0]")), "0:0 sluice.capture.interfaces[0]");
  const auto outbound = [&c](std::string_view name) {
    const auto found = std::ranges::find(c.manifest.outbounds, name, &contract::Outbound::name);
    return "outbounds[" + std::to_string(found - c.manifest.outbounds.begin()) + "].server";
  };
  EXPECT_EQ(at(c.legend.place_of(outbound("later"))), "7:5 proxies[1].server");
  EXPECT_EQ(at(c.legend.place_of(outbound("dead"))), "11:5 proxy-groups[1].server");
}

TEST(Legend, WhatStandsNowhereInTheFileKeepsItsPath) {
  const Legend legend = compiled().legend;
  for (const std::string_view place :
       {"outbounds[0].name", "outbounds[99].name", "listeners[3].port", "limits.memory",
        "listeners[", "listeners[x].port", ""})
    EXPECT_EQ(at(legend.place_of(place)), "0:0 " + std::string(place));
}

TEST(Legend, ARefusalReadsLikeAnyOtherError) {
  const Legend legend = compiled().legend;
  EXPECT_EQ(legend.refusal("listeners[0].port", "127.0.0.1:7890 is in use; stop it").to_text(),
            "f.yaml:1:13: mixed-port: 127.0.0.1:7890 is in use; stop it");
  EXPECT_EQ(legend.refusal("listeners[0].port", "is in use; stop it").remedy, "stop it");
  EXPECT_EQ(legend.refusal("", "no room").to_text(), "f.yaml: no room");
}

TEST(Legend, SaysWhatIsNotBuiltAndWhy) {
  EXPECT_EQ(compiled().legend.unbuilt,
            (std::vector<Unbuilt>{{"later", "Vmess", "type vmess", true},
                                  {"wrapped", "Socks5", "option tls", true},
                                  {"auto", "URLTest", "type URLTest", false},
                                  {"dead", "Fallback", "type Fallback", true}}));
}

}  // namespace
}  // namespace sluice::compile
