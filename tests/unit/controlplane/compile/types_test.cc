// Every type of rule, from its text to the decision of the block.
#include "controlplane/model/keys/rule_types.h"
#include "tests/unit/controlplane/compile/decider.h"

namespace sluice::compile {
namespace {

struct Row {
  std::string_view rule;  ///< type and payload
  std::string_view in;    ///< a flow that it matches
  std::string_view out;   ///< one that it does not
};

// The names of sets are those of contents() below.
constexpr Row kRows[] = {
    {"DOMAIN,a.test", "to=a.test:1", "to=x.a.test:1"},
    {"DOMAIN-SUFFIX,a.test", "to=x.a.test:1", "to=xa.test:1"},
    {"DOMAIN-KEYWORD,oog", "to=google.test:1", "to=goggle.test:1"},
    {"DOMAIN-WILDCARD,*.a?.test", "to=x.y.ab.test:1", "to=x.a.test:1"},
    {"DOMAIN-REGEX,^ad[0-9]+\\.", "to=AD12.test:1", "to=bad1.test:1"},
    {"DOMAIN-REGEX,^(?!www)", "to=a.test:1", "to=www.a.test:1"},
    {"GEOSITE,cn", "to=x.cn.test:1", "to=cn.example:1"},
    {"IP-CIDR,192.0.2.0/24", "to=192.0.2.9:1", "to=192.0.3.9:1"},
    {"IP-CIDR6,2001:db8::/32", "to=[2001:db8:1::1]:1", "to=[2001:db9::1]:1"},
    {"SRC-IP-CIDR,10.0.0.0/8", "src=10.1.1.1:1", "src=11.0.0.1:1"},
    {"IP-SUFFIX,0.0.0.1/8", "to=192.0.2.1:1", "to=192.0.2.2:1"},
    {"SRC-IP-SUFFIX,::1/64", "src=[fd00:1::1]:1", "src=[fd00:1::2]:1"},
    {"GEOIP,lan", "to=10.9.8.7:1", "to=192.0.2.1:1"},
    {"GEOIP,!lan", "to=192.0.2.1:1", "to=[fd00::1]:1"},
    {"GEOIP,cn", "to=198.51.100.7:1", "to=198.51.101.7:1"},
    {"SRC-GEOIP,cn", "src=198.51.100.7:1", "to=198.51.100.7:1"},
    {"IP-ASN,64500", "to=203.0.113.1:1", "to=203.0.114.1:1"},
    {"SRC-IP-ASN,64500", "src=203.0.113.1:1", "src=203.0.114.1:1"},
    {"DST-PORT,80/1000-2000", "to=a.test:1500", "to=a.test:2001"},
    {"SRC-PORT,123", "src=10.0.0.1:123", "src=10.0.0.1:124"},
    {"IN-PORT,7890/7891", "port=7891", "port=7892"},
    {"NETWORK,udp", "net=udp", "net=tcp"},
    {"IN-TYPE,HTTP/TPROXY", "in=tproxy", "in=socks5"},
    {"IN-NAME,guests/kids", "name=kids", "name=lan"},
    {"IN-USER,ann/bob", "user=bob", "name=lan"},
    {"REMATCH-NAME,again", "rematch=again", "rematch=once"},
    {"DSCP,46/8-10", "dscp=9", "dscp=11"},
    {"UID,1000-1002", "uid=1001", "uid=1003"},
    {"SRC-MAC,02:00:5e:10:00:01/02:00:5e:10:00:02", "mac=02005e100002", "mac=02005e100003"},
    {"TIME,tue 22:00-23:00", "utc=1700000000", "utc=1700003600"},
    {"PROCESS-NAME,Curl", "exe=/usr/bin/curl", "exe=/usr/bin/wget"},
    {"PROCESS-NAME-WILDCARD,c?rl*", "exe=/usr/bin/curl7", "exe=/usr/bin/crl"},
    {"PROCESS-NAME-REGEX,^cu", "exe=/usr/bin/curl", "exe=/cu/bin/wget"},
    {"PROCESS-PATH,/usr/bin/curl", "exe=/usr/bin/curl", "exe=/opt/curl"},
    {"PROCESS-PATH-WILDCARD,/usr/*/curl", "exe=/usr/local/bin/curl", "exe=/opt/curl"},
    {"PROCESS-PATH-REGEX,^/opt/", "exe=/opt/curl", "exe=/usr/opt/curl"},
    {"PROTOCOL,tls/QUIC", "speaks=quic", "speaks=http"},
    {"RULE-SET,names", "to=x.ads.test:1", "to=xads.test:1"},
    {"AND,((DOMAIN-SUFFIX,a.test),(DST-PORT,80))", "to=x.a.test:80", "to=x.a.test:81"},
    {"OR,((DOMAIN,a.test),(DST-PORT,80))", "to=b.test:80", "to=b.test:81"},
    {"NOT,((NETWORK,tcp))", "net=udp", "net=tcp"},
};

TextSets contents() {
  TextSets out;
  out.names("names", "+.ads.test\n");
  out.contents[{SetKind::geosite, "cn"}] = {ruleformats::Behavior::domain, "+.cn.test\n"};
  out.contents[{SetKind::geoip, "cn"}] = {ruleformats::Behavior::ipcidr, "198.51.100.0/24\n"};
  out.contents[{SetKind::asn, "64500"}] = {ruleformats::Behavior::ipcidr, "203.0.113.0/24\n"};
  return out;
}

constexpr std::string_view kProvider =
    "rule-providers: {names: {type: file, behavior: domain, format: text, path: a}}\n";

std::string list_of(std::string_view rule) {
  return std::string(kProvider) + "rules: ['" + std::string(rule) + ",REJECT']\n";
}

TEST(Types, EachDecidesAsItIsWritten) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.rule);
    const Decider d(list_of(row.rule), contents());
    EXPECT_EQ(d.line(row.in), 0);
    EXPECT_EQ(d.line(row.out), -1);
  }
}

TEST(Types, EachDecidesTheSameInsideLogic) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.rule);
    const std::string inside = "(" + std::string(row.rule) + ")";
    const Decider with(list_of("AND,(" + inside + ",(NOT,((DOMAIN,never.test))))"), contents());
    EXPECT_EQ(with.line(row.in), 0);
    EXPECT_EQ(with.line(row.out), -1);
    const Decider without(list_of("NOT,(" + inside + ")"), contents());
    EXPECT_EQ(without.line(row.in), -1);
    EXPECT_EQ(without.line(row.out), 0);
  }
}

TEST(Types, TheTableHoldsEveryType) {
  for (const model::keys::RuleType& type : model::keys::rule_types()) {
    if (type.form == model::keys::RuleForm::sub_rule || type.form == model::keys::RuleForm::always)
      continue;
    EXPECT_TRUE(std::ranges::any_of(kRows, [&](const Row& row) {
      return row.rule.starts_with(std::string(type.name) + ",");
    })) << type.name;
  }
}

TEST(Types, OneListOfAllFindsEachLine) {
  std::string yaml(kProvider);
  yaml += "rules:\n";
  // NOT and GEOIP,!lan match what the others are asked with.
  std::vector<Row> rows;
  for (const Row& row : kRows)
    if (!row.rule.starts_with("NOT") && !row.rule.starts_with("GEOIP,!lan") &&
        !row.rule.starts_with("DOMAIN-REGEX,^(?!"))
      rows.push_back(row);
  for (const Row& row : rows) yaml += "  - '" + std::string(row.rule) + ",REJECT'\n";
  const Decider d(yaml, contents());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].rule);
    const std::int32_t line = d.line(rows[i].in);
    ASSERT_GE(line, 0);
    // An earlier line may take it as well; it then takes it alone, too.
    const Decider alone(list_of(rows[static_cast<std::size_t>(line)].rule), contents());
    EXPECT_EQ(alone.line(rows[i].in), 0);
    EXPECT_LE(line, static_cast<std::int32_t>(i));
  }
}

TEST(Types, LookUpsAreAskedForOnlyWhereALineHangsOnThem) {
  const auto lookups = [](std::string_view rule) {
    return Decider(list_of(rule), contents()).of("to=a.test:80 ip=198.51.100.7");
  };
  EXPECT_EQ(lookups("GEOIP,cn"), (Decision{0, 1, 0}));
  EXPECT_EQ(lookups("GEOIP,lan"), (Decision{-1, 1, 0}));
  EXPECT_EQ(lookups("GEOIP,!lan"), (Decision{0, 1, 0}));
  EXPECT_EQ(lookups("IP-ASN,64500"), (Decision{-1, 1, 0}));
  EXPECT_EQ(lookups("RULE-SET,names"), (Decision{-1, 0, 0}));
  EXPECT_EQ(lookups("GEOSITE,cn"), (Decision{-1, 0, 0}));
  EXPECT_EQ(lookups("IP-SUFFIX,0.0.0.7/8"), (Decision{0, 1, 0}));
  EXPECT_EQ(lookups("SRC-GEOIP,cn"), (Decision{-1, 0, 0}));
  EXPECT_EQ(lookups("PROCESS-NAME,curl"), (Decision{-1, 0, 0}));  // of a client in the LAN
  const Decider d(list_of("GEOIP,cn"), contents());
  EXPECT_EQ(d.of("to=a.test:80"), (Decision{-1, 1, 0}));  // the look-up failed
}

TEST(Types, OptionsHoldInsideLogicAsBehindALine) {
  const std::string flow = "to=a.test:80 ip=198.51.100.7";
  for (const char* line : {"GEOIP,cn,REJECT,no-resolve", "AND,((GEOIP,cn,no-resolve)),REJECT",
                           "AND,((GEOIP,cn)),REJECT,no-resolve", "GEOIP,lan,REJECT,no-resolve",
                           "GEOIP,!lan,REJECT,no-resolve", "IP-ASN,64500,REJECT,no-resolve"})
    EXPECT_EQ(Decider("rules: ['" + std::string(line) + "']\n", contents()).of(flow),
              (Decision{-1, 0, 0}))
        << line;
  for (const char* line : {"GEOIP,cn,REJECT,src", "AND,((GEOIP,cn,src)),REJECT",
                           "IP-CIDR,198.51.100.0/24,REJECT,src", "IP-SUFFIX,0.0.0.7/8,REJECT,src"})
    EXPECT_EQ(Decider("rules: ['" + std::string(line) + "']\n", contents())
                  .of("to=a.test:80 src=198.51.100.7:1"),
              (Decision{0, 0, 0}))
        << line;
}

TEST(Types, HoursCountInTheirZoneAndEachZoneIsReadOnce) {
  TextSets inputs;
  inputs.zones["Asia/Kathmandu"] = {20'700, {}};  // +05:45
  inputs.zones[""] = {-3'600, {}};
  const Decider d(
      "rules:\n"
      "  - TIME,wed 03:58-04:00 Asia/Kathmandu,REJECT\n"
      "  - TIME,tue 21:13-21:14,REJECT\n"
      "  - TIME,wed 22:00-06:00/fri 00:00-24:00 Asia/Kathmandu,REJECT\n",
      inputs);
  EXPECT_EQ(d.line("utc=1700000000"), 0);   // Wednesday, 03:58:20 there
  EXPECT_EQ(d.line("utc=1699999980"), 0);   // 03:58:00
  EXPECT_EQ(d.line("utc=1699999979"), -1);  // 03:57:59; 21:12:59 by the system's
  EXPECT_EQ(d.line("utc=1700000100"), -1);  // 04:00:00
  EXPECT_EQ(d.line("utc=1700086400"), 2);   // Thursday, 03:58: the night that began on Wednesday
  EXPECT_EQ(d.line("utc=1700172800"), 2);   // Friday, 03:58
  EXPECT_EQ(d.line("utc=1700259200"), -1);  // Saturday
  EXPECT_EQ(d.inputs.asked_zones, (std::vector<std::string>{"Asia/Kathmandu", ""}));
}

TEST(Types, PrivateRangesNeedNoSet) {
  const Decider d(
      "rules: ['GEOIP,LAN,REJECT', 'SRC-GEOIP,lan,REJECT', 'NOT,((GEOIP,lan)),REJECT']\n");
  EXPECT_TRUE(d.inputs.asked.empty());
  for (const char* address : {"10.0.0.1", "172.16.0.1", "192.168.255.255", "127.0.0.1",
                              "169.254.1.1", "224.0.0.251", "[::1]", "[fe80::1]", "[fdff::1]"})
    EXPECT_EQ(d.line("to=" + std::string(address) + ":1"), 0) << address;
  for (const char* address : {"11.0.0.1", "172.32.0.1", "192.0.2.1", "[2001:db8::1]", "100.64.0.1"})
    EXPECT_EQ(d.line("to=" + std::string(address) + ":1 src=192.0.2.9:1"), 2) << address;
}

// Nobody is asked whose socket it is, neither for the file's lines nor for those of a list.
TEST(Types, WithFindProcessModeOffOwnersMatchNothing) {
  const std::string rules =
      "rule-providers: {own: {type: inline, behavior: classical, payload: [x]}}\n"
      "rules:\n"
      "  - UID,7,REJECT\n"
      "  - PROCESS-NAME,curl,REJECT\n"
      "  - PROCESS-PATH-REGEX,curl,REJECT\n"
      "  - RULE-SET,own,REJECT\n"
      "  - NOT,((UID,7)),DIRECT\n"
      "  - MATCH,REJECT\n";
  const auto sets = TextSets().rules("own", "PROCESS-PATH,/usr/bin/curl\nUID,7\n");
  const std::string flow = "to=a.test:1 uid=7 exe=/usr/bin/curl";
  EXPECT_EQ(Decider("find-process-mode: strict\n" + rules, sets).of(flow), (Decision{0, 0, 1}));
  EXPECT_EQ(Decider("find-process-mode: off\n" + rules, sets).of(flow), (Decision{4, 0, 0}));
}

}  // namespace
}  // namespace sluice::compile
