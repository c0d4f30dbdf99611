#include <set>

#include "controlplane/model/keys/key.h"
#include "controlplane/model/keys/types.h"
#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

using keys::Key;
using keys::KeyMap;

void check_table(const KeyMap& map, const std::string& where, int depth = 0) {
  ASSERT_LT(depth, 8) << where;
  std::set<std::string_view> seen;
  for (const auto& part : map.parts) {
    for (const Key& key : part) {
      EXPECT_TRUE(seen.insert(key.name).second) << where << ": " << key.name << " twice";
      EXPECT_EQ(key.below != nullptr, key.shape != Key::Shape::value) << where << ": " << key.name;
      if (key.below != nullptr)
        check_table(*key.below, where + "." + std::string(key.name), depth + 1);
    }
  }
  EXPECT_FALSE(seen.empty()) << where;
}

TEST(Keys, TablesHoldEachKeyOnce) {
  check_table(keys::kTopLevel, "file");
  check_table(keys::kGroup, "group");
  for (const auto& type : keys::proxy_types()) check_table(type.keys, std::string(type.name));
  for (const auto& type : keys::listener_types()) check_table(type.keys, std::string(type.name));
}

TEST(Keys, AKeyThatIsNotBuiltAndAnUnknownOneAreToldApart) {
  EXPECT_EQ(
      said("unified-delay: true\nmixed-prot: 1\nxyzzy: 1\nglobal-client-fingerprint: chrome\n"),
      "W f.yaml:1:1: unified-delay: known, not built yet; it has no effect\n"
      "W f.yaml:2:1: mixed-prot: unknown key; did you mean `mixed-port`?\n"
      "W f.yaml:3:1: xyzzy: unknown key; it is ignored: correct or remove it\n"
      "W f.yaml:4:1: global-client-fingerprint: no longer means anything; remove it\n");
}

TEST(Keys, AMapThatIsNotBuiltIsSaidOnceAndItsMistypedKeysToo) {
  EXPECT_EQ(
      said("tun:\n  enable: true\n  stak: system\n"
           "proxy-providers:\n  P: {type: http, health-check: {enable: true, utl: x}}\n"),
      "W f.yaml:1:1: tun: known, not built yet; it has no effect\n"
      "W f.yaml:3:3: tun.stak: unknown key; did you mean `stack`?\n"
      "W f.yaml:4:1: proxy-providers: known, not built yet; it has no effect\n"
      "W f.yaml:5:48: proxy-providers.P.health-check.utl: unknown key; did you mean `url`?\n");
}

TEST(Keys, TheSameKeyOfManyEntriesIsOneWarningWithACount) {
  const std::string text =
      "proxies:\n"
      "  - {name: a, type: direct, tfo: true, foo: 1}\n"
      "  - {name: b, type: direct, tfo: true, foo: 1}\n"
      "  - {name: c, type: reject, tfo: true}\n";
  EXPECT_EQ(said(text),
            "W f.yaml:2:29: proxies[0].tfo: known, not built yet (and in 2 more places); it has no "
            "effect\n"
            "W f.yaml:2:40: proxies[0].foo: unknown key (and in 1 more place); it is ignored: "
            "correct or remove it\n");
}

// What is promised must be there, built; the rest of the inventory known.
TEST(Keys, TheFileOfEveryBuiltKeyLoadsWithoutAWord) {
  clean(R"(
port: 0
socks-port: 0
mixed-port: 7890
redir-port: 0
tproxy-port: 0
allow-lan: false
bind-address: "*"
authentication: []
skip-auth-prefixes: []
lan-allowed-ips: [0.0.0.0/0, "::/0"]
lan-disallowed-ips: []
mode: rule
log-level: info
ipv6: true
tcp-concurrent: false
interface-name:
routing-mark: 0
keep-alive-idle: 15
keep-alive-interval: 15
disable-keep-alive: false
hosts: {}
profile: {store-selected: true, store-fake-ip: false}
listeners: []
proxies: []
proxy-groups: []
rules: []
dns: {enable: false}
sniffer: {enable: false, sniff: {TLS: {ports: [443]}}, override-destination: true, force-dns-mapping: true, parse-pure-ip: true, force-domain: [], skip-domain: [], skip-src-address: [], skip-dst-address: []}
sluice: {capture: {interfaces: []}, timeouts: {}}
)");
}

TEST(Keys, SomeKeysOfEachPartOfTheInventoryAreKnown) {
  for (const char* name : {"proxy-providers", "ntp", "experimental", "tls", "iptables", "tunnels",
                           "ss-config", "vmess-config", "tuic-server", "tun", "clash-for-android",
                           "external-controller-cors", "external-doh-server", "secret"}) {
    const Key* key = keys::kTopLevel.find(name);
    ASSERT_NE(key, nullptr) << name;
    EXPECT_EQ(key->state, keys::State::later) << name;
  }
}

}  // namespace
}  // namespace sluice::model
