#include "controlplane/compile/compile.h"

#include <algorithm>

#include "controlplane/model/load.h"
#include "dataplane/route/snapshot.h"
#include "tests/unit/controlplane/compile/text_sets.h"

namespace sluice::compile {
namespace {

using contract::OutboundKind;

CompileResult compiled(std::string_view yaml) {
  const auto loaded = model::load_config(yaml, "test.yaml");
  for (const auto& d : loaded.diagnostics)
    if (d.severity == model::Severity::error) ADD_FAILURE() << d.to_text();
  TextSets inputs;
  auto out = compile(loaded.config ? *loaded.config : model::Config{}, {inputs, inputs});
  EXPECT_TRUE(out);
  return std::move(*out);
}

std::vector<std::string> names(const contract::Manifest& m,
                               const std::vector<std::uint32_t>& indices) {
  std::vector<std::string> out;
  for (const std::uint32_t index : indices) out.push_back(m.outbounds[index].name);
  return out;
}

const contract::Outbound& find(const contract::Manifest& m, std::string_view name) {
  const auto found = std::ranges::find(m.outbounds, name, &contract::Outbound::name);
  EXPECT_NE(found, m.outbounds.end()) << name;
  return found == m.outbounds.end() ? m.outbounds[0] : *found;
}

std::expected<std::unique_ptr<const route::Snapshot>, route::Refusal> applied(
    const CompileResult& result) {
  route::BlobMap blobs;
  for (const auto& blob : result.blobs) blobs[blob->digest] = blob;
  return route::build_snapshot(result.manifest, blobs, 1, nullptr);
}

TEST(Compile, TheEmptyConfigurationIsApplicable) {
  const CompileResult result = compiled("mode: rule\n");
  const contract::Manifest& m = result.manifest;
  EXPECT_EQ(names(m, {0, 1, 2, 3, 4, 5, 6}),
            (std::vector<std::string>{"DIRECT", "REJECT", "REJECT-DROP", "PASS", "COMPATIBLE",
                                      "PASS-RULE", "GLOBAL"}));
  EXPECT_EQ(m.outbounds[2].kind, OutboundKind::reject_drop);
  EXPECT_EQ(m.outbounds[4].kind, OutboundKind::direct);
  EXPECT_EQ(m.outbounds[4].type_name, "Compatible");
  EXPECT_EQ(names(m, m.outbounds[m.global].members),
            (std::vector<std::string>{"DIRECT", "REJECT"}));
  const auto built = applied(result);
  EXPECT_TRUE(built) << built.error().place << ": " << built.error().reason;
}

TEST(Compile, GlobalHoldsEverythingUnlessTheUserDefinesIt) {
  const std::string nodes =
      "proxies: [{name: n, type: socks5, server: 192.0.2.1, port: 1080}]\n"
      "proxy-groups:\n  - {name: g, type: select, proxies: [n]}\n";
  const auto made = compiled(nodes).manifest;
  EXPECT_EQ(names(made, made.outbounds[made.global].members),
            (std::vector<std::string>{"DIRECT", "REJECT", "n", "g"}));
  const auto own =
      compiled(nodes + "  - {name: GLOBAL, type: select, proxies: [g, DIRECT]}\n").manifest;
  EXPECT_EQ(names(own, own.outbounds[own.global].members),
            (std::vector<std::string>{"g", "DIRECT"}));
  EXPECT_EQ(std::ranges::count(own.outbounds, "GLOBAL", &contract::Outbound::name), 1);
}

TEST(Compile, GroupsMayNameGroupsFurtherDown) {
  const auto m = compiled(
                     "proxy-groups:\n"
                     "  - {name: a, type: select, proxies: [b, DIRECT]}\n"
                     "  - {name: b, type: select, proxies: [DIRECT]}\n")
                     .manifest;
  EXPECT_EQ(names(m, find(m, "a").members), (std::vector<std::string>{"b", "DIRECT"}));
}

TEST(Compile, AGroupThatIsNotBuiltStartsOnItsFirstBuiltMember) {
  const auto result = compiled(
      "proxies:\n"
      "  - {name: v, type: vmess, server: a.test, port: 443, uuid: x, alterId: 0, cipher: auto}\n"
      "  - {name: s, type: socks5, server: 192.0.2.1, port: 1080}\n"
      "proxy-groups:\n  - {name: g, type: fallback, proxies: [v, s], url: 'http://a.test/', "
      "interval: 9}\n");
  const auto& g = find(result.manifest, "g");
  EXPECT_EQ(g.kind, OutboundKind::select);
  EXPECT_EQ(g.type_name, "Fallback");
  EXPECT_EQ(g.initial_choice, 1U);
  const auto& v = find(result.manifest, "v");
  EXPECT_EQ(v.kind, OutboundKind::unbuilt);
  EXPECT_EQ(v.type_name, "Vmess");
  EXPECT_TRUE(applied(result));
}

TEST(Compile, GeneralPortsListenOnLoopbackUntilTheLanIsAllowed) {
  const std::string ports =
      "port: 1\nsocks-port: 2\nmixed-port: 3\nredir-port: 4\ntproxy-port: 5\n";
  const auto alone = compiled(ports).manifest.listeners;
  ASSERT_EQ(alone.size(), 5U);
  const char* const expected[] = {"DEFAULT-HTTP", "DEFAULT-SOCKS", "DEFAULT-MIXED", "DEFAULT-REDIR",
                                  "DEFAULT-TPROXY"};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(alone[i].name, expected[i]);
    EXPECT_EQ(alone[i].port, i + 1);
    EXPECT_TRUE(alone[i].address.is_loopback());
  }
  const auto lan = compiled(ports + "allow-lan: true\n").manifest.listeners;
  EXPECT_TRUE(lan[2].address.is_v6() && lan[2].address.is_unspecified());
  const auto bound =
      compiled(ports + "allow-lan: true\nbind-address: 192.0.2.1\n").manifest.listeners;
  EXPECT_EQ(bound[2].address.to_string(), "192.0.2.1");
}

TEST(Compile, LoginsAndAccessListsReachTheListeners) {
  const auto result = compiled(
      "mixed-port: 7890\nredir-port: 7892\nauthentication: ['u:p']\n"
      "skip-auth-prefixes: [127.0.0.0/8]\nlan-allowed-ips: [192.0.2.0/24]\n"
      "lan-disallowed-ips: [192.0.2.66/32]\n");
  const auto& mixed = result.manifest.listeners[0];
  ASSERT_EQ(mixed.users.size(), 1U);
  EXPECT_EQ(mixed.users[0].name, "u");
  EXPECT_EQ(mixed.skip_auth.size(), 1U);
  EXPECT_EQ(mixed.allowed_sources, std::vector{*Prefix::parse("192.0.2.0/24")});
  EXPECT_EQ(mixed.denied_sources, std::vector{*Prefix::parse("192.0.2.66/32")});
  const auto& redir = result.manifest.listeners[1];
  EXPECT_TRUE(redir.users.empty() && redir.skip_auth.empty());
  EXPECT_EQ(redir.denied_sources.size(), 1U);
  EXPECT_TRUE(applied(result));
  // The default, everybody, is said by an empty list: nothing to test per connection.
  EXPECT_TRUE(compiled("mixed-port: 7890\n").manifest.listeners[0].allowed_sources.empty());
}

TEST(Compile, RulesAreShownAsTheApiSpellsThem) {
  const auto m = compiled(
                     "rules:\n  - DOMAIN-SUFFIX,Example.test,DIRECT\n"
                     "  - IP-CIDR6,2001:db8::/32,REJECT,no-resolve\n"
                     "  - IP-CIDR,10.0.0.0/8,DIRECT,src\n  - MATCH,GLOBAL\n")
                     .manifest;
  ASSERT_EQ(m.rules.size(), 4U);
  EXPECT_EQ(m.rules[0], (contract::RuleLine{"DomainSuffix", "Example.test", m.direct}));
  EXPECT_EQ(m.rules[1], (contract::RuleLine{"IPCIDR", "2001:db8::/32", m.reject, 1}));
  EXPECT_EQ(m.rules[2].type, "SrcIPCIDR");
  EXPECT_EQ(m.rules[3], (contract::RuleLine{"Match", "", m.global, 3}));
}

TEST(Compile, SecretsOfNodesThatAreNotBuiltStayHere) {
  const auto m =
      compiled("proxies:\n  - {name: t, type: trojan, server: a.test, port: 443, password: hush}\n")
          .manifest;
  EXPECT_TRUE(find(m, "t").password.empty());
}

TEST(Compile, CaptureLimitsAndFakeRangesAreTakenOver) {
  const auto result = compiled(
      "dns: {enable: true, enhanced-mode: fake-ip, fake-ip-range: 198.18.0.1/16, nameserver: "
      "[192.0.2.53]}\n"
      "sluice:\n"
      "  memory-limit: 64MiB\n"
      "  capture: {interfaces: [br-lan], mode: redirect, when-down: closed}\n");
  const auto& m = result.manifest;
  EXPECT_EQ(m.fake_ranges, std::vector{*Prefix::parse("198.18.0.0/16")});
  EXPECT_EQ(m.limits.memory, 64U << 20U);
  EXPECT_EQ(m.limits.connect, Millis{5'000});
  EXPECT_EQ(m.capture.interfaces, std::vector<std::string>{"br-lan"});
  EXPECT_EQ(m.capture.mode, contract::CaptureMode::redirect);
  EXPECT_TRUE(m.capture.fail_closed);
  EXPECT_TRUE(m.capture.dns.empty());
  EXPECT_TRUE(applied(result));
}

}  // namespace
}  // namespace sluice::compile
