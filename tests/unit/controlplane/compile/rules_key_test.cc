#include "controlplane/compile/rules_key.h"

#include "tests/unit/controlplane/compile/decider.h"

namespace sluice::compile {
namespace {

contract::Digest key_of(const std::string& yaml) {
  const auto loaded = model::load_config(yaml, "f.yaml");
  EXPECT_TRUE(loaded.config) << yaml;
  return loaded.config ? rules_key(*loaded.config) : contract::Digest{};
}

std::vector<std::byte> block_of(const std::string& yaml) {
  const Decider d(yaml);
  const auto bytes = d.compiled.blobs.at(0)->bytes;
  return {bytes.begin(), bytes.end()};
}

constexpr const char* kBase =
    "sub-rules: {a: ['DST-PORT,1,DIRECT'], b: ['SUB-RULE,(DST-PORT,2),a', 'MATCH,DIRECT']}\n"
    "rules: ['DOMAIN,a.test,DIRECT', 'SUB-RULE,(NETWORK,tcp),b', 'GEOIP,lan,DIRECT']\n";

TEST(RulesKey, WhatTheBlockDoesNotHoldDoesNotCount) {
  const std::string same[] = {
      // Moved, other targets, other names, other parts of the file.
      "# comment\n" + std::string(kBase),
      "mixed-port: 1\nsub-rules: {x: ['DST-PORT,1,REJECT'], y: ['SUB-RULE,(DST-PORT,2),x', "
      "'MATCH,GLOBAL']}\nrules: ['DOMAIN,A.test.,REJECT', 'SUB-RULE,(NETWORK,TCP),y', "
      "'geoip,LAN,REJECT']\n",
      "sub-rules: {a: ['DST-PORT,1,DIRECT'], z: ['MATCH,REJECT'], b: ['SUB-RULE,(DST-PORT,2),a', "
      "'MATCH,DIRECT']}\nrules: ['DOMAIN,a.test,DIRECT', 'SUB-RULE,(NETWORK,tcp),b', "
      "'GEOIP,lan,DIRECT']\n"};
  for (const std::string& yaml : same) {
    EXPECT_EQ(key_of(yaml), key_of(kBase)) << yaml;
    EXPECT_EQ(block_of(yaml), block_of(kBase)) << yaml;
  }
}

TEST(RulesKey, WithoutOwnersItIsAnotherBlock) {
  const std::string off = "find-process-mode: off\n" + std::string(kBase);
  const std::string always = "find-process-mode: always\n" + std::string(kBase);
  EXPECT_NE(key_of(off), key_of(kBase));
  EXPECT_EQ(key_of(always), key_of(kBase));
}

TEST(RulesKey, TheListsOfTheSnifferCountWhileItIsOn) {
  const auto with = [](const std::string& sniffer) {
    return "sniffer: {sniff: {TLS: {}}, " + sniffer + "}\n" + kBase;
  };
  std::set<contract::Digest> keys{key_of(kBase)};
  for (const char* sniffer :
       {"enable: true, skip-domain: [a.test]", "enable: true, skip-domain: [b.test]",
        "enable: true, skip-domain: [a.test, b.test]",
        "enable: true, force-domain: [c.test], skip-domain: [a.test]",
        "enable: true, skip-src-address: [10.0.0.1]", "enable: true, skip-dst-address: [10.0.0.1]"})
    EXPECT_TRUE(keys.insert(key_of(with(sniffer))).second) << sniffer;
  EXPECT_EQ(key_of(with("enable: false, skip-domain: [a.test]")), key_of(kBase));
  EXPECT_EQ(block_of(with("enable: false, skip-domain: [a.test]")), block_of(kBase));
}

TEST(RulesKey, WhatTheBlockHoldsCounts) {
  std::set<contract::Digest> keys{key_of(kBase)};
  const std::string lines[] = {"DOMAIN,b.test,DIRECT",
                               "DOMAIN-SUFFIX,a.test,DIRECT",
                               "IP-CIDR,10.0.0.0/8,DIRECT",
                               "IP-CIDR,10.0.0.0/9,DIRECT",
                               "IP-CIDR,10.0.0.0/8,DIRECT,no-resolve",
                               "IP-CIDR,10.0.0.0/8,DIRECT,src",
                               "IP-SUFFIX,10.0.0.0/8,DIRECT",
                               "DST-PORT,1/2,DIRECT",
                               "DST-PORT,1,DIRECT",
                               "SRC-PORT,1,DIRECT",
                               "NETWORK,tcp,DIRECT",
                               "NETWORK,udp,DIRECT",
                               "IN-TYPE,HTTP,DIRECT",
                               "IN-NAME,a/b,DIRECT",
                               "IN-NAME,a,DIRECT",
                               "IN-USER,a,DIRECT",
                               "DSCP,1,DIRECT",
                               "PROTOCOL,tls,DIRECT",
                               "PROTOCOL,tls/http,DIRECT",
                               "UID,1,DIRECT",
                               "UID,1-2,DIRECT",
                               "SRC-MAC,02:00:00:00:00:01,DIRECT",
                               "TIME,mon 08:00-09:00,DIRECT",
                               "TIME,mon 08:00-09:00 UTC,DIRECT",
                               "TIME,mon 08:00-09:01,DIRECT",
                               "TIME,tue 08:00-09:00,DIRECT",
                               "DOMAIN-REGEX,a,DIRECT",
                               "PROCESS-NAME-REGEX,a,DIRECT",
                               "PROCESS-NAME,a,DIRECT",
                               "GEOIP,cn,DIRECT",
                               "GEOSITE,cn,DIRECT",
                               "IP-ASN,1,DIRECT",
                               "AND,((DST-PORT,1),(NETWORK,tcp)),DIRECT",
                               "OR,((DST-PORT,1),(NETWORK,tcp)),DIRECT",
                               "NOT,((DST-PORT,1)),DIRECT",
                               "MATCH,DIRECT"};
  for (const std::string& line : lines)
    EXPECT_TRUE(keys.insert(key_of("rules: ['" + line + "']\n")).second) << line;
  EXPECT_TRUE(
      keys.insert(key_of("rules: ['DOMAIN,a.test,DIRECT', 'DOMAIN,b.test,DIRECT']")).second);
  EXPECT_TRUE(
      keys.insert(key_of("rules: ['DOMAIN,b.test,DIRECT', 'DOMAIN,a.test,DIRECT']")).second);
  // Which list a line goes to, and what stands in it.
  const std::string lists = "sub-rules: {a: ['DST-PORT,1,DIRECT'], b: ['DST-PORT,2,DIRECT']}\n";
  EXPECT_TRUE(keys.insert(key_of(lists + "rules: ['SUB-RULE,(NETWORK,tcp),a', "
                                         "'SUB-RULE,(NETWORK,udp),b']\n"))
                  .second);
  EXPECT_TRUE(keys.insert(key_of(lists + "rules: ['SUB-RULE,(NETWORK,tcp),b', "
                                         "'SUB-RULE,(NETWORK,udp),a']\n"))
                  .second);
  EXPECT_TRUE(keys.insert(key_of(lists + "rules: ['SUB-RULE,(NETWORK,tcp),a']\n")).second);
}

TEST(RulesKey, ABlockAtHandGivesTheSameManifest) {
  const Decider d(kBase);
  const auto loaded = model::load_config(kBase, "f.yaml");
  const CompileResult again = compile_around(*loaded.config, d.compiled.blobs[0]);
  EXPECT_EQ(again.manifest, d.compiled.manifest);
  EXPECT_EQ(again.blobs, d.compiled.blobs);
}

}  // namespace
}  // namespace sluice::compile
