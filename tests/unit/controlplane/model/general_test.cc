#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

TEST(LoadGeneral, ABareFileHasTheDocumentedDefaults) {
  const Config config = clean("mixed-port: 7890\n");
  EXPECT_EQ(config.general.mode, contract::Mode::rule);
  EXPECT_EQ(config.general.log_level, LogLevel::info);
  EXPECT_TRUE(config.general.ipv6);
  EXPECT_FALSE(config.general.allow_lan);
  EXPECT_TRUE(config.general.store_selected);
  EXPECT_FALSE(config.general.store_fake_ip);
  EXPECT_EQ(config.general.lan_allowed_ips.size(), 2U);
  EXPECT_FALSE(config.dns.enable);
  EXPECT_FALSE(config.dns.ipv6);
  EXPECT_EQ(config.dns.fake_ip_range.to_string(), "198.18.0.0/16");
  ASSERT_EQ(config.dns.nameserver.size(), 1U);
  EXPECT_EQ(config.dns.nameserver[0].transport, DnsTransport::system);
  EXPECT_EQ(config.sluice, SluiceMap());
  EXPECT_FALSE(config.sluice.capture.enabled());
}

TEST(LoadGeneral, ReadsEveryKey) {
  const Config config = clean(R"(
port: 1
socks-port: "2"
mixed-port: 0x3
redir-port: 4
tproxy-port: 5
allow-lan: yes
bind-address: "[2001:db8::9]"
authentication: ["u:p:w", "v:"]
skip-auth-prefixes: [127.0.0.1/8, "::1"]
lan-allowed-ips: 10.1.2.3/8
lan-disallowed-ips: []
mode: Global
log-level: WARNING
ipv6: off
tcp-concurrent: true
interface-name: eth0.2
routing-mark: 0x1ff
disable-keep-alive: true
keep-alive-idle: 30
keep-alive-interval: 5
profile: {store-selected: false, store-fake-ip: true}
)");
  const General& g = config.general;
  EXPECT_EQ(g.port, 1);
  EXPECT_EQ(g.socks_port, 2);
  EXPECT_EQ(g.mixed_port, 3);
  EXPECT_EQ(g.redir_port, 4);
  EXPECT_EQ(g.tproxy_port, 5);
  EXPECT_TRUE(g.allow_lan);
  EXPECT_EQ(g.bind_address, "2001:db8::9");
  EXPECT_EQ(g.authentication, (std::vector<contract::User>{{"u", "p:w"}, {"v", ""}}));
  ASSERT_EQ(g.skip_auth_prefixes.size(), 2U);
  EXPECT_EQ(g.skip_auth_prefixes[0].to_string(), "127.0.0.0/8");
  ASSERT_EQ(g.lan_allowed_ips.size(), 1U);
  EXPECT_EQ(g.lan_allowed_ips[0].to_string(), "10.0.0.0/8");
  EXPECT_EQ(g.mode, contract::Mode::global);
  EXPECT_EQ(g.log_level, LogLevel::warning);
  EXPECT_FALSE(g.ipv6);
  EXPECT_TRUE(g.tcp_concurrent);
  EXPECT_EQ(g.interface_name, "eth0.2");
  EXPECT_EQ(g.routing_mark, 0x1ffU);
  EXPECT_FALSE(g.keep_alive);
  EXPECT_EQ(g.keep_alive_idle_s, 30U);
  EXPECT_EQ(g.keep_alive_interval_s, 5U);
  EXPECT_FALSE(g.store_selected);
  EXPECT_TRUE(g.store_fake_ip);
  for (const Listener& l : config.listeners) EXPECT_EQ(l.address.to_string(), "2001:db8::9");
}

TEST(LoadGeneral, CollectsEveryErrorInFileOrder) {
  EXPECT_EQ(said("port: 70000\nallow-lan: maybe\nmode: rul\nlog-level: [info]\n"
                 "skip-auth-prefixes: [10.0.0.0/33]\ninterface-name: a-name-of-16-byte\n"),
            "E f.yaml:1:7: port: \"70000\" is not a number from 0 to 65535; write such a number\n"
            "E f.yaml:2:12: allow-lan: \"maybe\" is neither true nor false; write true or false\n"
            "E f.yaml:3:7: mode: \"rul\" is none of rule, global, direct; did you mean `rule`?\n"
            "E f.yaml:4:12: log-level: is a list, one text is needed; put it in quotes if the "
            "brackets belong to the text\n"
            "E f.yaml:5:22: skip-auth-prefixes[0]: \"10.0.0.0/33\" is not an address range; write "
            "for example 192.168.0.0/16 or fd00::/8\n"
            "E f.yaml:6:17: interface-name: \"a-name-of-16-byte\" is not a network device name; "
            "write at most 15 bytes, as `ip link` shows it\n");
}

TEST(LoadGeneral, NullMeansTheDefault) {
  const Config config = clean("mixed-port: 1\nmode: ~\nrules:\nproxies: null\ndns:\n");
  EXPECT_EQ(config.general.mode, contract::Mode::rule);
}

TEST(LoadGeneral, SecretsNeverReachAMessage) {
  const std::string out = said(
      "authentication: [hunter2, \":hunter2\"]\n"
      "listeners: [{name: l, type: http, port: 1, users: [{password: hunter2}, hunter2]}]\n"
      "proxies: [{name: p, type: ss, server: s, port: x, cipher: aes-128-gcm, password: "
      "[hunter2]},\n"
      "  {name: q, type: http, server: s, port: 1, username: \"a:hunter2\", password: {a: "
      "hunter2}}]\n");
  EXPECT_NE(out, "");
  EXPECT_EQ(out.find("hunter2"), std::string::npos) << out;
}

TEST(LoadGeneral, TellsWhatAFileIsThatIsNoConfiguration) {
  EXPECT_EQ(said(""), "E f.yaml:1:1: the file is empty; write at least `mixed-port: 7890`\n");
  EXPECT_EQ(
      said("- a\n"),
      "E f.yaml:1:1: the file is a list, a map of keys is needed; write `key: value` lines\n");
}

TEST(LoadSluice, ReadsEveryKey) {
  const Config config = clean(R"(
sluice:
  capture:
    interfaces: [br-lan, br-lan, wlan0]
    mode: redirect
    dns-hijack: false
    router-traffic: true
    when-down: closed
    bypass-mark: 0x10
    tproxy-mark: 0x20
    mark-mask: 0xf0
    route-table: 200
    rule-priority: 500
  udp: {max-mappings: 100, max-mappings-per-client: 20, dns-timeout: 3s}
  timeouts: {tcp-idle: 2h, tcp-half-closed: 60, udp-idle: 90s, handshake: 500ms, connect: 3}
  memory-limit: 64MiB
  fake-ip-size: 1000
  removed-flows: close
)");
  const SluiceMap& s = config.sluice;
  EXPECT_EQ(s.udp, (Udp{.max_mappings = 100, .max_mappings_per_client = 20, .dns_timeout = 3_s}));
  EXPECT_EQ(s.capture.interfaces, (std::vector<std::string>{"br-lan", "wlan0"}));
  EXPECT_EQ(s.capture.mode, contract::CaptureMode::redirect);
  EXPECT_FALSE(s.capture.dns_hijack);
  EXPECT_TRUE(s.capture.router_traffic);
  EXPECT_EQ(s.capture.when_down, WhenDown::closed);
  EXPECT_EQ(s.capture.bypass_mark, 0x10U);
  EXPECT_EQ(s.capture.tproxy_mark, 0x20U);
  EXPECT_EQ(s.capture.mark_mask, 0xf0U);
  EXPECT_EQ(s.capture.route_table, 200U);
  EXPECT_EQ(s.capture.rule_priority, 500U);
  EXPECT_EQ(s.timeouts, (Timeouts{7'200_s, 60_s, 90_s, 500_ms, 3_s}));
  EXPECT_EQ(s.memory_limit, std::uint64_t{64} << 20);
  EXPECT_EQ(s.fake_ip_size, 1000U);
  EXPECT_EQ(s.removed_flows, contract::RemovedFlows::close);
}

TEST(LoadSluice, RefusesMarksThatClashAndTablesOfTheSystem) {
  EXPECT_NE(said("sluice: {capture: {bypass-mark: 0x200}}\n").find("must differ"),
            std::string::npos);
  EXPECT_NE(said("sluice: {capture: {tproxy-mark: 0x10000}}\n").find("lie in mark-mask"),
            std::string::npos);
  EXPECT_NE(said("sluice: {capture: {route-table: 254}}\n").find("a table of the system"),
            std::string::npos);
  EXPECT_NE(said("sluice: {memory-limit: 1MiB}\n").find("not a size of at least 4 MiB"),
            std::string::npos);
  EXPECT_NE(said("sluice: {udp: {max-mappings: 15}}\n").find("16"), std::string::npos);
  EXPECT_NE(said("sluice: {timeouts: {connect: 50d}}\n").find("is not a time from 100 ms to 300 s"),
            std::string::npos);
}

TEST(LoadHosts, ReadsAddressesListsAliasesAndLan) {
  const Config config = clean(R"(
hosts:
  Router.LAN.: lan
  "+.test": 127.0.0.1
  "*.two.test": [192.0.2.1, "2001:db8::1"]
  bücher.test: other.test
)");
  EXPECT_EQ(config.hosts, (std::vector<Host>{
                              {"router.lan", {}, "", true},
                              {"+.test", {*IpAddress::parse("127.0.0.1")}, "", false},
                              {"*.two.test",
                               {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("2001:db8::1")},
                               "",
                               false},
                              {"xn--bcher-kva.test", {}, "other.test", false},
                          }));
}

TEST(LoadHosts, NamesWhatCannotBeUsed) {
  EXPECT_EQ(
      said("hosts:\n  a.+.b: 127.0.0.1\n  a.test: [x.test]\n  b.test: []\n  A.test: lan\n"),
      "E f.yaml:2:3: hosts[\"a.+.b\"]: \"a.+.b\" is not a name; write a name; `*` stands for "
      "one label, `+.` leads for a name and all below\n"
      "E f.yaml:3:12: hosts[\"a.test\"][0]: is not an address; a list may hold addresses only\n"
      "E f.yaml:4:11: hosts[\"b.test\"]: needs an address, a list of addresses, another name, "
      "or lan; write one of them\n"
      "E f.yaml:5:3: hosts[\"A.test\"]: the same name stands on line 3; keep one of them; "
      "several addresses are a list\n");
}

}  // namespace
}  // namespace sluice::model
