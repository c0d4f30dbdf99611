#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

Dns dns(const std::string& keys) {
  return clean("dns: {" + keys + "}\n").dns;
}
std::string said_of(const std::string& keys) {
  return said("dns: {" + keys + "}\n");
}

TEST(LoadDns, ReadsEveryKey) {
  const Dns d = clean(R"(
dns:
  enable: true
  listen: 0.0.0.0:1053
  ipv6: true
  use-hosts: false
  enhanced-mode: fake-ip
  fake-ip-range: 10.9.8.7/20
  fake-ip-range6: fc00:18::1/112
  fake-ip-ttl: 5
  fake-ip-filter: ["*.lan", "+.Bücher.test", .x.test, plain.test]
  fake-ip-filter-mode: whitelist
  default-nameserver: [1.1.1.1, "tcp://[2606:4700::1111]:5353", system]
  nameserver: [8.8.8.8, udp://dns.example:54/, tcp://9.9.9.9, 8.8.8.8:53, "2620:fe::fe"]
  cache-max-size: 10
)")
                    .dns;
  EXPECT_TRUE(d.enable);
  EXPECT_EQ(d.listen->to_string(), "0.0.0.0:1053");
  EXPECT_TRUE(d.ipv6);
  EXPECT_FALSE(d.use_hosts);
  EXPECT_EQ(d.mode, DnsMode::fake_ip);
  EXPECT_EQ(d.fake_ip_range.to_string(), "10.9.0.0/20");
  EXPECT_EQ(d.fake_ip_range6->to_string(), "fc00:18::/112");
  EXPECT_EQ(d.fake_ip_ttl_s, 5U);
  EXPECT_EQ(d.fake_ip_filter,
            (std::vector<std::string>{"*.lan", "+.xn--bcher-kva.test", ".x.test", "plain.test"}));
  EXPECT_EQ(d.fake_ip_filter_mode, FakeIpFilterMode::whitelist);
  EXPECT_EQ(d.default_nameserver,
            (std::vector<DnsServer>{{DnsTransport::udp, "1.1.1.1", 53},
                                    {DnsTransport::tcp, "2606:4700::1111", 5353},
                                    {DnsTransport::system, "", 0}}));
  EXPECT_EQ(d.nameserver, (std::vector<DnsServer>{{DnsTransport::udp, "8.8.8.8", 53},
                                                  {DnsTransport::udp, "dns.example", 54},
                                                  {DnsTransport::tcp, "9.9.9.9", 53},
                                                  {DnsTransport::udp, "2620:fe::fe", 53}}));
  EXPECT_EQ(d.cache_max_size, 10U);
}

TEST(LoadDns, ReadsListenForms) {
  EXPECT_EQ(dns("listen: ':53'").listen->to_string(), "[::]:53");
  EXPECT_EQ(dns("listen: '*:53'").listen->to_string(), "[::]:53");
  EXPECT_EQ(dns("listen: 'localhost:53'").listen->to_string(), "127.0.0.1:53");
  EXPECT_EQ(dns("listen: '[::1]:53'").listen->to_string(), "[::1]:53");
  EXPECT_FALSE(dns("listen: ''").listen);
  for (const char* bad :
       {"53", "127.0.0.1", "127.0.0.1:0", "fe80::1:53", "a.test:53", "1.2.3.4:x", ":"})
    EXPECT_NE(said_of("listen: '" + std::string(bad) + "'").find("is not an address with a port"),
              std::string::npos)
        << bad;
}

TEST(LoadDns, RedirHostAnswersAsNormalWithOneWarning) {
  const LoadResult result = load_config("dns: {enhanced-mode: redir-host}\n", "f.yaml");
  ASSERT_TRUE(result.config);
  EXPECT_EQ(result.config->dns.mode, DnsMode::normal);
  EXPECT_EQ(result.diagnostics.size(), 1U);
  EXPECT_NE(said(result).find("redir-host is known, not built yet"), std::string::npos);
  EXPECT_EQ(dns("enhanced-mode: normal").mode, DnsMode::normal);
}

TEST(LoadDns, FilterEntriesOfSetsAreSkippedBadPatternsAreErrors) {
  const LoadResult result = load_config(
      "dns: {fake-ip-filter: [\"geosite:cn\", \"rule-set:x\", Mijia Cloud, a.test]}\n", "f.yaml");
  ASSERT_TRUE(result.config) << said(result);
  EXPECT_EQ(result.config->dns.fake_ip_filter, std::vector<std::string>{"a.test"});
  EXPECT_EQ(result.diagnostics.size(), 3U);
  EXPECT_EQ(said_of("fake-ip-filter: ['*.*.+.x.test']"),
            "E f.yaml:1:24: dns.fake-ip-filter[0]: \"*.*.+.x.test\" is not a pattern of "
            "fake-ip-filter; `*` is one whole label; `+.` and `.` only lead\n");
  EXPECT_NE(said_of("fake-ip-filter-mode: rule").find("rule is known, not built yet"),
            std::string::npos);
}

// A query never goes another way than written: what is not built is skipped.
TEST(LoadDns, ServersThatAreNotBuiltAreSkipped) {
  const LoadResult result = load_config(
      "dns: {nameserver: [\"https://doh.test/dns-query\", tls://1.1.1.1, \"1.1.1.1#Proxy\", "
      "9.9.9.9]}\n",
      "f.yaml");
  ASSERT_TRUE(result.config) << said(result);
  EXPECT_EQ(result.config->dns.nameserver.size(), 1U);
  EXPECT_EQ(
      said(result),
      "W f.yaml:1:20: dns.nameserver[0]: https:// is known, not built yet; the server is skipped\n"
      "W f.yaml:1:50: dns.nameserver[1]: tls:// is known, not built yet; the server is skipped\n"
      "W f.yaml:1:65: dns.nameserver[2]: options after # are known, not built yet; the server is "
      "skipped\n");
}

TEST(LoadDns, WhenNoneIsBuiltTheBootstrapServersStandIn) {
  const LoadResult result = load_config(
      "dns: {default-nameserver: [223.5.5.5], nameserver: [\"quic://dns.test\"]}\n", "f.yaml");
  ASSERT_TRUE(result.config);
  EXPECT_EQ(result.config->dns.nameserver, result.config->dns.default_nameserver);
  EXPECT_NE(said(result).find("the servers of default-nameserver answer in their place"),
            std::string::npos);
  EXPECT_EQ(loaded("dns: {nameserver: [\"quic://dns.test\"]}\n").dns.nameserver[0].transport,
            DnsTransport::system);
}

TEST(LoadDns, NamesWhatIsWrong) {
  EXPECT_NE(said_of("nameserver: ['udpp://1.1.1.1']").find("\"udpp\" is not a kind of name server"),
            std::string::npos);
  EXPECT_NE(said_of("nameserver: ['tcp://a b']").find("is not a name server"), std::string::npos);
  EXPECT_NE(said_of("nameserver: ['1.1.1.1:0']").find("is not a name server"), std::string::npos);
  EXPECT_NE(said_of("default-nameserver: [dns.test]").find("\"dns.test\" is a name"),
            std::string::npos);
  EXPECT_NE(said_of("fake-ip-range: 198.18.0.1/29").find("is not an IPv4 range"),
            std::string::npos);
  EXPECT_NE(said_of("fake-ip-range: fc00::/112").find("is not an IPv4 range"), std::string::npos);
  EXPECT_NE(said_of("fake-ip-range6: 198.18.0.1/16").find("is not an IPv6 range"),
            std::string::npos);
  EXPECT_NE(said("dns: [a]\n").find("is a list, a map is needed"), std::string::npos);
}

}  // namespace
}  // namespace sluice::model
