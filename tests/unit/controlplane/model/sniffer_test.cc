#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

using Ports = std::vector<PortRange>;
using Texts = std::vector<std::string>;

std::string file_of(const std::string& keys) {
  return "rule-providers:\n"
         "  names: {type: inline, behavior: domain, payload: [a.test]}\n"
         "  ranges: {type: inline, behavior: ipcidr, payload: [10.0.0.0/8]}\n"
         "sniffer: {" +
         keys + "}\n";
}
Sniffer sniffer(const std::string& keys) {
  return clean(file_of(keys)).sniffer;
}
std::string said_of(const std::string& keys) {
  return said(file_of(keys));
}

TEST(LoadSniffer, IsOffAndHasTheDefaultsOfMihomo) {
  const Sniffer s = clean("mixed-port: 1\n").sniffer;
  EXPECT_FALSE(s.enable);
  EXPECT_TRUE(s.force_dns_mapping);
  EXPECT_TRUE(s.parse_pure_ip);
  EXPECT_TRUE(s.http.ports.empty() && s.tls.ports.empty() && s.quic.ports.empty());
}

TEST(LoadSniffer, ReadsEveryKey) {
  const Sniffer s = sniffer(
      "enable: true, override-destination: false, force-dns-mapping: no, parse-pure-ip: off, "
      "sniff: {HTTP: {ports: [80, 8080-8880], override-destination: true}, tls: {ports: "
      "'443/8443'}, "
      "QUIC: }, force-domain: [+.v2ex.test, '*.a.test', .b.test, Bücher.test], "
      "skip-domain: ['geosite:cn,private', 'rule-set:names', 'a.*.test'], "
      "skip-src-address: [192.168.0.3, 'rule-set:ranges'], skip-dst-address: ['geoip:!cn', "
      "fd00::/8]");
  EXPECT_TRUE(s.enable);
  EXPECT_FALSE(s.force_dns_mapping);
  EXPECT_FALSE(s.parse_pure_ip);
  EXPECT_EQ(s.http, (SniffPorts{{{80, 80}, {8080, 8880}}, true}));
  EXPECT_EQ(s.tls, (SniffPorts{{{443, 443}, {8443, 8443}}, false}));
  EXPECT_EQ(s.quic, (SniffPorts{{{443, 443}}, false}));
  ASSERT_EQ(s.force_domain.atoms.size(), 4U);
  EXPECT_EQ(s.force_domain.atoms[0].kind, AtomKind::domain_suffix);
  EXPECT_EQ(std::get<std::string>(s.force_domain.atoms[0].payload), "v2ex.test");
  EXPECT_EQ(std::get<Regex>(s.force_domain.atoms[1].payload).pattern, "^[^.]+\\.a\\.test$");
  EXPECT_EQ(s.force_domain.atoms[2].kind, AtomKind::domain_wildcard);
  EXPECT_EQ(std::get<std::string>(s.force_domain.atoms[2].payload), "*.b.test");
  EXPECT_EQ(std::get<std::string>(s.force_domain.atoms[3].payload), "xn--bcher-kva.test");
  ASSERT_EQ(s.skip_domain.atoms.size(), 4U);
  EXPECT_EQ(s.skip_domain.atoms[0].kind, AtomKind::geosite);
  EXPECT_EQ(std::get<std::string>(s.skip_domain.atoms[1].payload), "private");
  EXPECT_EQ(s.skip_domain.atoms[2].kind, AtomKind::rule_set);
  ASSERT_EQ(s.skip_src_address.atoms.size(), 2U);
  for (const Atom& atom : s.skip_src_address.atoms) EXPECT_TRUE(atom.source && atom.no_resolve);
  ASSERT_EQ(s.skip_dst_address.atoms.size(), 2U);
  EXPECT_EQ(s.skip_dst_address.atoms[0].kind, AtomKind::geoip);
  for (const Atom& atom : s.skip_dst_address.atoms)
    EXPECT_FALSE(atom.source || atom.asks_for_address());
}

TEST(LoadSniffer, OldFormsAreReadWhereThereIsNoSniff) {
  const LoadResult old = load_config(
      file_of("enable: true, sniffing: [tls, http], port-whitelist: [443, 8000-9000]"), "f.yaml");
  ASSERT_TRUE(old.config) << said(old);
  EXPECT_EQ(old.config->sniffer.tls.ports, (Ports{{443, 443}, {8000, 9000}}));
  EXPECT_EQ(old.config->sniffer.http.ports, old.config->sniffer.tls.ports);
  EXPECT_TRUE(old.config->sniffer.quic.ports.empty());
  EXPECT_EQ(said(old),
            "W f.yaml:4:35: sniffer.sniffing: is an old form; write sniff: {TLS: {ports: [443]}}\n"
            "W f.yaml:4:64: sniffer.port-whitelist: is an old form; write sniff: {TLS: {ports: "
            "[443]}}\n");
  const Sniffer usual = loaded(file_of("enable: true, sniffing: [http]")).sniffer;
  EXPECT_EQ(usual.http.ports, (Ports{{80, 80}}));
  const std::string both = "enable: true, sniff: {TLS: {}}, sniffing: [http]";
  EXPECT_TRUE(loaded(file_of(both)).sniffer.http.ports.empty());
  EXPECT_EQ(said_of(both),
            "W f.yaml:4:53: sniffer.sniffing: has no effect beside sniff; remove it\n");
}

TEST(LoadSniffer, WhatIsWrongIsSaidWhereItStands) {
  const auto is_said = [](const std::string& keys, const std::string& expected) {
    const std::string text = said_of(keys);
    EXPECT_NE(text.find(expected), std::string::npos) << keys << "\n" << text;
  };
  is_said("sniff: {SSH: {}}",
          "E f.yaml:4:19: sniffer.sniff.SSH: \"SSH\" is not a protocol whose host can be sniffed; "
          "write HTTP, TLS or QUIC");
  is_said("sniff: {TLS: [443]}", "E f.yaml:4:24: sniffer.sniff.TLS: is a list, a map is needed");
  is_said("sniff: {TLS: {ports: [0443x]}}", "E f.yaml:4:33: sniffer.sniff.TLS.ports[0]: \"0443x\"");
  is_said("sniff: {TLS: {port: [443]}}", "W f.yaml:4:25: sniffer.sniff.TLS.port: unknown key");
  is_said("sniffing: [ssh]", "E f.yaml:4:22: sniffer.sniffing[0]: \"ssh\" is not a protocol");
  is_said("enable: maybe", "E f.yaml:4:19: sniffer.enable: \"maybe\" is neither true nor false");
  is_said("force-domain: ['a*.test']", "E f.yaml:4:26: sniffer.force-domain[0]: \"a*.test\"");
  is_said("skip-domain: ['rule-set:nams']",
          "E f.yaml:4:25: sniffer.skip-domain[0]: rule provider \"nams\" does not exist; did you "
          "mean `names`");
  is_said("skip-domain: ['rule-set:ranges']", "\"ranges\" holds addresses, no names");
  is_said("skip-dst-address: ['rule-set:names']", "\"names\" holds names");
  is_said("skip-dst-address: [10.0.0.0/33]", "E f.yaml:4:30: sniffer.skip-dst-address[0]:");
  is_said("skip-dst-address: ['geosite:cn']", "is not an address range");
  is_said("skip-domain: ['geosite:']", "names no set");
  is_said("enable: true", "W f.yaml:4:19: sniffer.enable: nothing is looked for");
}

}  // namespace
}  // namespace sluice::model
