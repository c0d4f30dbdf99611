#include "controlplane/model/diff.h"

#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

constexpr std::string_view kBase = R"(
mixed-port: 7890
authentication: [u:hunter2]
hosts: {a.test: 192.0.2.1}
listeners: [{name: l, type: http, port: 1}]
dns: {enable: true, nameserver: [1.1.1.1]}
proxies:
  - {name: a, type: ss, server: s, port: 1, cipher: aes-128-gcm, password: hunter2}
  - {name: b, type: direct}
proxy-groups: [{name: G, type: select, proxies: [a, b]}]
rules: ["DOMAIN,x.test,a", "IP-CIDR,10.0.0.0/8,b,no-resolve", "MATCH,G"]
)";

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kBase);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

using Lines = std::vector<std::string>;
Lines diff_to(std::string_view from, std::string_view to) {
  const Config a = loaded(kBase);
  const Config b = loaded(replaced(from, to));
  EXPECT_FALSE(a == b);
  for (const std::string& line : diff(a, b)) EXPECT_EQ(line.find("hunter"), std::string::npos);
  return diff(a, b);
}

TEST(Diff, IsEmptyForEqualConfigurationsWhateverTheirLayout) {
  const Config a = loaded(kBase);
  const Config b = loaded("# a comment moves every line\n\n" + std::string(kBase));
  EXPECT_TRUE(a == b);
  EXPECT_EQ(diff(a, b), Lines());
}

TEST(Diff, ShowsOldAndNewValues) {
  EXPECT_EQ(diff_to("mixed-port: 7890", "mixed-port: 7891"), Lines{"mixed-port: 7890 -> 7891"});
  EXPECT_EQ(diff_to("mixed-port: 7890", "mixed-port: 7890\nmode: direct"),
            Lines{"mode: rule -> direct"});
  EXPECT_EQ(diff_to("[1.1.1.1]", "[1.1.1.1, tcp://9.9.9.9]"),
            Lines{"dns.nameserver: [udp://1.1.1.1:53] -> [udp://1.1.1.1:53, tcp://9.9.9.9:53]"});
  EXPECT_EQ(
      diff_to("mixed-port: 7890", "mixed-port: 7890\nsluice: {capture: {interfaces: [br-lan]}}"),
      Lines{"sluice.capture.interfaces: [] -> [br-lan]"});
}

TEST(Diff, ShowsTheSnifferKeyByKey) {
  const auto with = [](const std::string& sniffer) {
    return diff_to("mixed-port: 7890", "mixed-port: 7890\nsniffer: {" + sniffer + "}");
  };
  EXPECT_EQ(
      with("enable: true, sniff: {TLS: {ports: [443, 8000-8100]}}"),
      (Lines{"sniffer.enable: false -> true", "sniffer.sniff.TLS.ports: [] -> [443, 8000-8100]"}));
  EXPECT_EQ(with("skip-domain: [+.a.test, 'geosite:cn']"),
            Lines{"sniffer.skip-domain: [] -> [+.a.test, geosite:cn]"});
  EXPECT_EQ(with("sniff: {QUIC: {override-destination: false}}"),
            (Lines{"sniffer.sniff.QUIC.ports: [] -> [443]",
                   "sniffer.sniff.QUIC.override-destination: true -> false"}));
}

TEST(Diff, NamesWhatChangedOfNamedThings) {
  EXPECT_EQ(diff_to("server: s, port: 1", "server: t, port: 2"),
            Lines{"proxies: a: server, port changed"});
  EXPECT_EQ(diff_to("{name: b, type: direct}", "{name: b, type: reject}"),
            Lines{"proxies: b: type changed"});
  EXPECT_EQ(diff_to("proxies: [a, b]", "proxies: [b, a]"),
            Lines{"proxy-groups: G: proxies, first choice changed"});
  EXPECT_EQ(diff_to("{name: l, type: http, port: 1}", "{name: m, type: http, port: 1}"),
            (Lines{"listeners: removed l", "listeners: added m"}));
  EXPECT_EQ(diff_to("a.test: 192.0.2.1", "a.test: 192.0.2.2"),
            Lines{"hosts: a.test: value changed"});
}

TEST(Diff, NeverShowsSecrets) {
  EXPECT_EQ(diff_to("[u:hunter2]", "[u:hunter3]"),
            (Lines{"authentication: changed", "listeners: l: users changed"}));
  EXPECT_EQ(diff_to("password: hunter2", "password: hunter3"),
            Lines{"proxies: a: password changed"});
}

TEST(Diff, TellsRulesThatCameWentAndMoved) {
  EXPECT_EQ(diff_to("\"DOMAIN,x.test,a\"", "\"DOMAIN,x.test,b\""),
            (Lines{"rules: removed DOMAIN,x.test,a", "rules: added DOMAIN,x.test,b"}));
  EXPECT_EQ(diff_to("\"DOMAIN,x.test,a\", \"IP-CIDR,10.0.0.0/8,b,no-resolve\"",
                    "\"IP-CIDR,10.0.0.0/8,b,no-resolve\", \"DOMAIN,x.test,a\""),
            Lines{"rules: order changed"});
  EXPECT_EQ(diff_to("rules: [", "rules: [\"IN-TYPE,TUN,b\", "),
            Lines{"rules: lines that are skipped changed the numbering"});
}

TEST(Diff, TellsSubRulesProvidersAndGeoKeys) {
  const Config a = loaded(
      "sub-rules: {s: ['MATCH,PASS']}\n"
      "rule-providers: {p: {type: inline, behavior: domain, payload: [a.test]}}\n");
  const Config b = loaded(
      "find-process-mode: off\n"
      "sub-rules: {s: ['MATCH,DIRECT'], t: []}\n"
      "rule-providers: {p: {type: file, behavior: domain, path: x}}\n");
  EXPECT_EQ(diff(a, b), (Lines{"find-process-mode: strict -> off",
                               "rule-providers: p: type, path, payload changed",
                               "sub-rules: s: lines changed", "sub-rules: added t"}));
}

}  // namespace
}  // namespace sluice::model
