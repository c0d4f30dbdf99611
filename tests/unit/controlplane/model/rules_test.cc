#include "controlplane/model/keys/rule_types.h"
#include "proto/contract/rule_type.h"
#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

LoadResult load_rule(const std::string& line) {
  return load_config("rules:\n  - '" + line + "'\n", "f.yaml");
}

Rule rule(const std::string& line) {
  const LoadResult result = load_rule(line);
  EXPECT_TRUE(result.config) << said(result);
  EXPECT_EQ(said(result), "");
  return result.config && !result.config->rules.empty() ? result.config->rules[0] : Rule();
}

template <class T>
T payload(const std::string& line) {
  const Rule r = rule(line);
  const T* value = std::get_if<T>(&r.condition.atom.payload);
  EXPECT_NE(value, nullptr) << line;
  return value != nullptr ? *value : T();
}

TEST(LoadRules, ReadsNames) {
  EXPECT_EQ(payload<std::string>("DOMAIN,WWW.Example.COM.,DIRECT"), "www.example.com");
  EXPECT_EQ(payload<std::string>("DOMAIN-SUFFIX,.example.com,DIRECT"), "example.com");
  EXPECT_EQ(payload<std::string>("DOMAIN-SUFFIX,+.example.com,DIRECT"), "example.com");
  EXPECT_EQ(payload<std::string>("domain-keyword , GooGle , DIRECT"), "google");
  EXPECT_EQ(payload<std::string>("DOMAIN,a_b-c.test,DIRECT"), "a_b-c.test");
}

TEST(LoadRules, TurnsULabelsIntoALabels) {
  EXPECT_EQ(payload<std::string>("DOMAIN-SUFFIX,Bücher.test,DIRECT"), "xn--bcher-kva.test");
  EXPECT_EQ(payload<std::string>("DOMAIN,пример.рф,DIRECT"), "xn--e1afmkfd.xn--p1ai");
  EXPECT_EQ(payload<std::string>("DOMAIN-KEYWORD,bücher,DIRECT"), "xn--bcher-kva");
}

TEST(LoadRules, ReadsPrefixesAndTheirOptions) {
  const Rule plain = rule("IP-CIDR, 10.10.1.0/20 ,DIRECT,no-resolve");
  EXPECT_TRUE(plain.condition.is(AtomKind::ip_cidr));
  EXPECT_EQ(std::get<Prefix>(plain.condition.atom.payload).to_string(), "10.10.0.0/20");
  EXPECT_EQ(plain.payload_text, "10.10.1.0/20");
  EXPECT_TRUE(plain.no_resolve);
  EXPECT_TRUE(plain.condition.atom.no_resolve);
  EXPECT_EQ(payload<Prefix>("IP-CIDR,192.0.2.7,DIRECT").length, 32);
  EXPECT_EQ(payload<Prefix>("IP-CIDR6,2001:DB8:0::/32,DIRECT").to_string(), "2001:db8::/32");
  for (const char* line : {"IP-CIDR,10.0.0.0/8,DIRECT,src", "SRC-IP-CIDR,10.0.0.0/8,DIRECT"}) {
    EXPECT_EQ(api_name(rule(line)), "SrcIPCIDR");
    EXPECT_TRUE(rule(line).condition.atom.source);
    EXPECT_EQ(to_text(rule(line)), line);
  }
}

TEST(LoadRules, ReadsPortsInBothListForms) {
  using Ranges = std::vector<PortRange>;
  EXPECT_EQ(payload<Ranges>("DST-PORT,443,DIRECT"), (Ranges{{443, 443}}));
  EXPECT_EQ(payload<Ranges>("DST-PORT,80/1000-2000,DIRECT"), (Ranges{{80, 80}, {1000, 2000}}));
  EXPECT_EQ(payload<Ranges>("SRC-PORT,1, 2-3 ,4,DIRECT"), (Ranges{{1, 1}, {2, 3}, {4, 4}}));
  EXPECT_EQ(rule("SRC-PORT,1,2-3,DIRECT").payload_text, "1,2-3");
}

TEST(LoadRules, ReadsNetworksAndInboundTypes) {
  using contract::InboundType;
  using Types = std::vector<InboundType>;
  EXPECT_EQ(payload<Network>("NETWORK,UDP,REJECT"), Network::udp);
  EXPECT_EQ(payload<Types>("IN-TYPE,socks/HTTP,DIRECT"),
            (Types{InboundType::socks4, InboundType::socks5, InboundType::http}));
  EXPECT_EQ(payload<Types>("IN-TYPE,TUN/TPROXY,DIRECT"), Types{InboundType::tproxy});
}

TEST(LoadRules, EveryBuiltInNameIsATarget) {
  for (const char* target :
       {"DIRECT", "REJECT", "REJECT-DROP", "COMPATIBLE", "PASS", "PASS-RULE", "GLOBAL"})
    EXPECT_EQ(rule(std::string("MATCH,") + target).target, target);
}

// What stands behind the type in a line that is right, for every type.
std::string sample(const keys::RuleType& type) {
  switch (type.form) {
    case keys::RuleForm::all:
    case keys::RuleForm::any:
      return "((DOMAIN,a.test),(DST-PORT,80))";
    case keys::RuleForm::negation:
      return "((DOMAIN,a.test))";
    case keys::RuleForm::sub_rule:
      return "(DOMAIN,a.test)";
    default:
      break;
  }
  switch (type.kind) {
    case AtomKind::ip_cidr:
      return "10.0.0.0/8";
    case AtomKind::ip_suffix:
      return "0.0.0.1/8";
    case AtomKind::in_type:
      return "HTTP";
    case AtomKind::protocol:
      return "bittorrent";
    case AtomKind::network:
      return "tcp";
    case AtomKind::src_mac:
      return "02:00:5e:10:00:01";
    case AtomKind::time:
      return "daily 08:00-09:00";
    default:
      return "42";
  }
}

TEST(LoadRules, EveryTypeIsReadWithoutAWord) {
  const std::string around =
      "rule-providers: {'42': {type: inline, behavior: domain, payload: [a.test]}}\n"
      "sub-rules: {DIRECT: ['MATCH,DIRECT']}\n";
  for (const keys::RuleType& type : keys::rule_types()) {
    const std::string payload = type.form == keys::RuleForm::always ? "" : sample(type) + ",";
    const std::string line = std::string(type.name) + "," + payload + "DIRECT";
    const LoadResult result = load_config(around + "rules: ['" + line + "']\n", "f.yaml");
    ASSERT_TRUE(result.config) << said(result);
    ASSERT_EQ(result.config->rules.size(), 1U) << line;
    EXPECT_EQ(said(result).find("rules[0]"), std::string::npos) << said(result);
    const std::string_view written = contract::written_type(api_name(result.config->rules.front()));
    EXPECT_EQ(written, type.name == "IP-CIDR6" ? "IP-CIDR" : type.name);
  }
}

// B035: the index, the text and "unsupported rule type".
TEST(LoadRules, AnUnknownTypeIsAnErrorWithIndexAndText) {
  EXPECT_EQ(said("rules:\n  - DOMAIN,a.test,DIRECT\n  - MATCH,DIRECT\n  - GEOSITE:sample,DIRECT\n"),
            "E f.yaml:4:5: rules[2]: \"GEOSITE:sample,DIRECT\": unsupported rule type "
            "\"GEOSITE:sample\"; write TYPE,payload,target with a known type\n");
  EXPECT_NE(said("rules: [\"DOMAIN-SUFIX,a.test,DIRECT\"]\n").find("did you mean `DOMAIN-SUFFIX`?"),
            std::string::npos);
}

TEST(LoadRules, SkippedLinesKeepTheNumberingOfTheOthers) {
  const Config config = loaded("rules: [\"IN-TYPE,TUN,DIRECT\", \"MATCH,DIRECT\"]\n");
  ASSERT_EQ(config.rules.size(), 1U);
  EXPECT_EQ(config.rules[0].index, 1U);
}

TEST(LoadRules, NamesEveryLineThatCannotBeUsed) {
  const std::pair<std::string, std::string> lines[] = {
      {"MATCH", "is not complete; write MATCH,target"},
      {"DOMAIN,a.test", "is not complete; write TYPE,payload,target"},
      {"DOMAIN,,DIRECT", "is not complete"},
      {"DST-PORT,80", "is not complete"},
      {"DOMAIN,a b,DIRECT", "no name can be like"},
      {"DOMAIN,a..b,DIRECT", "no name can be like"},
      {"IP-CIDR,10.0.0.0/33,DIRECT", "is not an address range"},
      {"IP-CIDR,example.com,DIRECT", "is not an address range"},
      {"DST-PORT,90-80,DIRECT", "is not a list of ports"},
      {"DST-PORT,65536,DIRECT", "is not a list of ports"},
      {"NETWORK,icmp,DIRECT", "is not a network"},
      {"IN-TYPE,TPROXI,DIRECT", "did you mean `TPROXY`?"},
      {"MATCH,Nowhere", "rule target \"Nowhere\" does not exist"},
      {"MATCH,direct", "did you mean `DIRECT`?"},
  };
  for (const auto& [line, expected] : lines) {
    const LoadResult result = load_rule(line);
    EXPECT_FALSE(result.config) << line;
    EXPECT_NE(said(result).find(expected), std::string::npos) << line << "\n" << said(result);
    EXPECT_EQ(said(result).substr(0, 15), "E f.yaml:2:5: r") << line;
  }
  std::string ports = "1";
  for (int i = 2; i <= 29; ++i) ports += "/" + std::to_string(i);
  EXPECT_NE(said(load_rule("DST-PORT," + ports + ",DIRECT")).find("more than 28 port ranges"),
            std::string::npos);
}

TEST(LoadRules, LinesThatMatchNothingAreSkippedWithAWarning) {
  for (const char* line : {"IP-CIDR6,::ffff:0:0/96,REJECT", "IN-TYPE,TUN/VLESS,DIRECT"}) {
    const LoadResult result = load_rule(line);
    ASSERT_TRUE(result.config) << said(result);
    EXPECT_TRUE(result.config->rules.empty());
    EXPECT_EQ(said(result).substr(0, 2), "W ") << said(result);
  }
}

TEST(LoadRules, UnknownOptionsAreNamed) {
  const LoadResult result = load_rule("IP-CIDR,10.0.0.0/8,DIRECT,noresolve");
  ASSERT_TRUE(result.config);
  EXPECT_NE(said(result).find("unknown option \"noresolve\"; did you mean `no-resolve`?"),
            std::string::npos);
}

TEST(LoadRules, ShapesAreChecked) {
  EXPECT_NE(said("rules: MATCH,DIRECT\n").find("a list is needed"), std::string::npos);
  EXPECT_NE(said("rules: [{a: b}, ~]\n").find("rules[1]: is empty"), std::string::npos);
}

}  // namespace
}  // namespace sluice::model
