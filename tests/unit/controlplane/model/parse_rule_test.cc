#include "controlplane/model/parse_rule.h"

#include <gtest/gtest.h>

#include "controlplane/model/bounds.h"
#include "controlplane/ruleformats/bounds.h"
#include "controlplane/ruleformats/geo_dat.h"

namespace sluice::model {
namespace {

// Neither room knows the other: lines that the readers of files make, this one reads; and what a
// rule may name, a file can be asked for.
static_assert(ruleformats::Bounds{}.line_bytes <= kMaxRuleText);
static_assert(ruleformats::kMaxLinePorts <= kMaxItems);
static_assert(kMaxGeoAttributes <= ruleformats::kMaxAttributes);

using Op = Condition::Op;

ParsedRule parsed(std::string_view text, RuleContext context = RuleContext::rules) {
  auto out = parse_rule(text, context);
  if (!out) ADD_FAILURE() << text << ": " << out.error().problem << "; " << out.error().remedy;
  return out ? std::move(*out) : ParsedRule();
}

template <class T>
T payload(std::string_view text, RuleContext context = RuleContext::rules) {
  const ParsedRule rule = parsed(text, context);
  const T* value = std::get_if<T>(&rule.condition.atom.payload);
  EXPECT_NE(value, nullptr) << text;
  return value != nullptr ? *value : T();
}

RuleFault refused(std::string_view text, RuleContext context = RuleContext::rules) {
  const auto out = parse_rule(text, context);
  EXPECT_FALSE(out) << text;
  return out ? RuleFault() : out.error();
}

// B023: only the fields around the pattern are split off.
TEST(ParseRule, B023_ARegexKeepsItsCommas) {
  const ParsedRule rule =
      parsed(R"(DOMAIN-REGEX,^[a-z]([a-z0-9-]{0,61}[a-z0-9])?\.rx\.test$,REJECT)");
  const auto& regex = std::get<Regex>(rule.condition.atom.payload);
  EXPECT_EQ(regex.pattern, R"(^[a-z]([a-z0-9-]{0,61}[a-z0-9])?\.rx\.test$)");
  EXPECT_EQ(regex.engine, RegexEngine::re2);
  EXPECT_EQ(rule.payload, regex.pattern);
  EXPECT_EQ(rule.target, "REJECT");
  EXPECT_EQ(rule.api_name, "DomainRegex");
  for (const char* type : {"PROCESS-NAME-REGEX", "PROCESS-PATH-REGEX"})
    EXPECT_EQ(payload<Regex>(std::string(type) + ",^a{1,3}$,DIRECT").pattern, "^a{1,3}$");
  EXPECT_EQ(payload<Regex>("DOMAIN-REGEX,^a{1,3}$,src", RuleContext::rule_set).pattern,
            "^a{1,3}$,src");
}

TEST(ParseRule, ARegexInsideLogicKeepsItsParentheses) {
  const ParsedRule rule =
      parsed(R"(AND,((DOMAIN-REGEX,^(a|\)b)[)(]{1,2}\.x$),(NETWORK,udp)),REJECT)");
  ASSERT_EQ(rule.condition.op, Op::all);
  ASSERT_EQ(rule.condition.operands.size(), 2U);
  EXPECT_EQ(std::get<Regex>(rule.condition.operands[0].atom.payload).pattern,
            R"(^(a|\)b)[)(]{1,2}\.x$)");
  EXPECT_EQ(std::get<Regex>(
                parsed("NOT,((DOMAIN-REGEX,[])]+)),DIRECT").condition.operands[0].atom.payload)
                .pattern,
            "[])]+");
}

TEST(ParseRule, WhatRe2CannotExpressRunsOnPcre2AndIsSaid) {
  const ParsedRule rule = parsed(R"(DOMAIN-REGEX,^(?!ads\.).*\.test$,DIRECT)");
  EXPECT_EQ(std::get<Regex>(rule.condition.atom.payload).engine, RegexEngine::pcre2);
  ASSERT_EQ(rule.notes.size(), 1U);
  EXPECT_EQ(rule.notes[0].topic, RuleNote::Topic::slow_pattern);
  EXPECT_EQ(rule.notes[0].problem,
            "RE2 has no `(?!`, so the pattern runs on PCRE2, which goes back and tries again");
  EXPECT_EQ(rule.notes[0].offset, 13U);
  EXPECT_EQ(payload<Regex>(R"(DOMAIN-REGEX,^(a)\1$,DIRECT)").engine, RegexEngine::pcre2);
}

TEST(ParseRule, WhatIsNoRegexIsRefused) {
  EXPECT_EQ(refused("DOMAIN-REGEX,a(b,DIRECT").problem,
            "\"a(b\" is not a regular expression: missing ): a(b");
  EXPECT_NE(refused("DOMAIN-REGEX," + std::string(1025, 'a') + ",DIRECT").problem.find("longer"),
            std::string::npos);
}

TEST(ParseRule, Names) {
  EXPECT_EQ(payload<std::string>("DOMAIN-WILDCARD,*.Bücher.test,DIRECT"), "*.xn--bcher-kva.test");
  EXPECT_EQ(payload<std::string>("DOMAIN-WILDCARD,A*z.i?.test.,DIRECT"), "a*z.i?.test");
  EXPECT_EQ(payload<std::string>("GEOSITE,GEO-!CN@Ads@CN,DIRECT"), "geo-!cn@ads@cn");
  EXPECT_EQ(parsed("GEOSITE,google,DIRECT").api_name, "GeoSite");
  for (const char* text : {"DOMAIN-WILDCARD,b*ü.test,DIRECT", "DOMAIN-WILDCARD,a..b,DIRECT",
                           "GEOSITE,a@,DIRECT", "GEOSITE,@cn,DIRECT", "GEOSITE,!,DIRECT"})
    refused(text);
}

TEST(ParseRule, AddressesAndTheirOptions) {
  const ParsedRule geoip = parsed("GEOIP,CN,DIRECT,no-resolve");
  EXPECT_EQ(std::get<std::string>(geoip.condition.atom.payload), "cn");
  EXPECT_TRUE(geoip.condition.atom.no_resolve);
  EXPECT_EQ(geoip.payload, "CN");
  EXPECT_EQ(parsed("GEOIP,lan,DIRECT,src").api_name, "SrcGeoIP");
  EXPECT_EQ(parsed("SRC-IP-ASN,AS13335,DIRECT").api_name, "SrcIPASN");
  EXPECT_EQ(payload<AsNumber>("IP-ASN,13335,DIRECT").value, 13335U);
  // A source is always known, so `no-resolve` beside `src` changes nothing.
  const Atom source = parsed("IP-CIDR,10.0.0.0/8,DIRECT,no-resolve,src").condition.atom;
  EXPECT_TRUE(source.source);
  EXPECT_FALSE(source.no_resolve);
  EXPECT_FALSE(source.asks_for_address());
  const ParsedRule set = parsed("RULE-SET,ads,REJECT,src,no-resolve");
  EXPECT_TRUE(set.condition.is(AtomKind::rule_set) && set.condition.atom.source && set.no_resolve);
  EXPECT_TRUE(parsed("RULE-SET,ads,REJECT").condition.may_ask_for_address());
  EXPECT_TRUE(parsed("DOMAIN,a.test,DIRECT,no-resolve").notes.empty());
  EXPECT_EQ(parsed("DOMAIN,a.test,DIRECT,src").notes.size(), 1U);
}

TEST(ParseRule, TheEndOfAnAddress) {
  const auto v4 = payload<IpSuffix>("IP-SUFFIX,192.168.1.1/12,DIRECT");
  EXPECT_EQ(v4.address.to_string(), "0.0.1.1");
  EXPECT_EQ(v4.length, 12);
  const auto v6 = payload<IpSuffix>("SRC-IP-SUFFIX,2001:db8::1:2/64,DIRECT");
  EXPECT_EQ(v6.address, *IpAddress::parse("::1:2"));
  EXPECT_EQ(payload<IpSuffix>("IP-SUFFIX,10.0.0.1,DIRECT").length, 32);
  EXPECT_EQ(payload<IpSuffix>("IP-SUFFIX,::ffff:10.0.0.1/128,DIRECT").length, 32);
  EXPECT_EQ(payload<IpSuffix>("IP-SUFFIX,10.0.0.1/0,DIRECT").address.to_string(), "0.0.0.0");
  for (const char* text :
       {"IP-SUFFIX,10.0.0.1/33,DIRECT", "IP-SUFFIX,a/8,DIRECT", "IP-SUFFIX,::1/129,DIRECT",
        "IP-ASN,AS,DIRECT", "IP-ASN,-1,DIRECT", "IP-ASN,4294967296,DIRECT"})
    refused(text);
}

TEST(ParseRule, Lists) {
  using Names = std::vector<std::string>;
  using Numbers = std::vector<NumberRange>;
  EXPECT_EQ(payload<Names>("IN-NAME,lan/ DEFAULT-MIXED ,DIRECT"), (Names{"lan", "DEFAULT-MIXED"}));
  EXPECT_EQ(payload<Names>("IN-USER,anna/ben,DIRECT"), (Names{"anna", "ben"}));
  EXPECT_EQ(payload<Names>("REMATCH-NAME,second,DIRECT"), Names{"second"});
  EXPECT_EQ(payload<Numbers>("DSCP,0/8-15,46,DIRECT"), (Numbers{{0, 0}, {8, 15}, {46, 46}}));
  EXPECT_EQ(payload<Numbers>("UID,1000/2000-4294967295,DIRECT"),
            (Numbers{{1000, 1000}, {2000, 4294967295}}));
  EXPECT_EQ(payload<std::vector<PortRange>>("IN-PORT,7890/7891,DIRECT").size(), 2U);
  EXPECT_EQ(payload<std::vector<PortRange>>("DST-PORT,80,443", RuleContext::rule_set).size(), 2U);
  const auto macs =
      payload<std::vector<MacAddress>>("SRC-MAC,02:00:5E:10:00:01/aa-bb-cc-dd-ee-ff,DIRECT");
  EXPECT_EQ(macs, (std::vector<MacAddress>{{0x02005e100001}, {0xaabbccddeeff}}));
  using contract::Protocol;
  EXPECT_EQ(payload<std::vector<Protocol>>("PROTOCOL,TLS/ bitTorrent /tls,DIRECT"),
            (std::vector<Protocol>{Protocol::tls, Protocol::bittorrent}));
  EXPECT_EQ(parsed("PROTOCOL,quic,DIRECT").api_name, "Protocol");
  EXPECT_EQ(refused("PROTOCOL,ssh,DIRECT").remedy,
            "write tls, http, quic, dtls, stun or bittorrent, several with /");
  EXPECT_EQ(payload<std::string>("PROCESS-PATH,/opt/My App (x86)/run,DIRECT"),
            "/opt/My App (x86)/run");
  for (const char* text :
       {"IN-NAME,a//b,DIRECT", "DSCP,64,DIRECT", "UID,x,DIRECT", "UID,9-8,DIRECT",
        "PROTOCOL,tls/,DIRECT", "SRC-MAC,02:00:5e:10:00,DIRECT", "SRC-MAC,02:00:5e:10:00:0g,DIRECT",
        "SRC-MAC,02:00-5e:10:00:01,DIRECT", "SRC-MAC,+2:00:5e:10:00:01,DIRECT"})
    refused(text);
}

TEST(ParseRule, ListsAreBounded) {
  const struct {
    std::string type;
    std::string item;
    int most;
  } rows[] = {{"DSCP", "1", 28},
              {"UID", "1", 28},
              {"DST-PORT", "1", 28},
              {"IN-NAME", "a", 4096},
              {"IN-USER", "a", 4096},
              {"REMATCH-NAME", "a", 4096},
              {"SRC-MAC", "02:00:5e:10:00:01", 4096}};
  for (const auto& row : rows) {
    std::string text = row.type + "," + row.item;
    for (int i = 1; i < row.most; ++i) text += "/" + row.item;
    parsed(text + ",DIRECT");
    const std::string problem = refused(text + "/" + row.item + ",DIRECT").problem;
    EXPECT_TRUE(problem.starts_with("more than " + std::to_string(row.most) + " ")) << problem;
  }
}

TEST(ParseRule, NestedLogicWithOptions) {
  const ParsedRule rule = parsed(
      "OR , ( (AND,((IP-CIDR,192.0.2.0/24,no-resolve),(NOT,((DST-PORT,80,443))))) , "
      "(GEOIP,cn,src) ), REJECT ");
  EXPECT_EQ(rule.api_name, "OR");
  EXPECT_EQ(rule.target, "REJECT");
  EXPECT_EQ(rule.payload,
            "( (AND,((IP-CIDR,192.0.2.0/24,no-resolve),(NOT,((DST-PORT,80,443))))) , "
            "(GEOIP,cn,src) )");
  ASSERT_EQ(rule.condition.operands.size(), 2U);
  const Condition& both = rule.condition.operands[0];
  EXPECT_EQ(both.op, Op::all);
  EXPECT_TRUE(both.operands[0].atom.no_resolve);
  EXPECT_EQ(both.operands[1].op, Op::negation);
  EXPECT_EQ(std::get<std::vector<PortRange>>(both.operands[1].operands[0].atom.payload).size(), 2U);
  EXPECT_TRUE(rule.condition.operands[1].atom.source);
  EXPECT_FALSE(rule.condition.may_ask_for_address());
}

TEST(ParseRule, NoResolveBehindLogicHoldsForAllInIt) {
  const ParsedRule rule =
      parsed("AND,((IP-CIDR,10.0.0.0/8),(OR,((GEOIP,cn),(SRC-GEOIP,cn)))),DIRECT,no-resolve");
  std::string flags;
  for_each_atom(rule.condition, [&](const Atom& atom) { flags += atom.no_resolve ? '1' : '0'; });
  EXPECT_EQ(flags, "110");
  const ParsedRule inner = parsed("OR,((NOT,((GEOIP,cn)),no-resolve),(IP-ASN,1)),DIRECT");
  EXPECT_TRUE(inner.condition.operands[0].operands[0].atom.no_resolve);
  EXPECT_TRUE(inner.condition.operands[1].atom.asks_for_address());
  const ParsedRule source = parsed("NOT,((IP-CIDR,10.0.0.0/8)),DIRECT,src");
  ASSERT_EQ(source.notes.size(), 1U);
  EXPECT_NE(source.notes[0].remedy.find("inside the parentheses"), std::string::npos);
}

// B037: every type that is legal alone is legal inside, with its options.
TEST(ParseRule, B037_EveryTypeIsLegalInsideLogic) {
  for (const char* text : {"DOMAIN,a.test",
                           "DOMAIN-SUFFIX,a.test",
                           "DOMAIN-KEYWORD,a",
                           "DOMAIN-WILDCARD,*.a.test",
                           "DOMAIN-REGEX,^(a,b)$",
                           "GEOSITE,google@cn",
                           "IP-CIDR,192.0.2.0/24,no-resolve",
                           "IP-CIDR6,::1/128,src",
                           "SRC-IP-CIDR,10.0.0.0/8",
                           "IP-SUFFIX,0.0.0.1/8,no-resolve",
                           "SRC-IP-SUFFIX,::1/64",
                           "GEOIP,cn,src",
                           "SRC-GEOIP,cn",
                           "IP-ASN,1,no-resolve",
                           "SRC-IP-ASN,1",
                           "SRC-PORT,1-2",
                           "DST-PORT,1,2",
                           "IN-PORT,1",
                           "IN-TYPE,SOCKS",
                           "IN-USER,a/b",
                           "IN-NAME,a",
                           "REMATCH-NAME,a",
                           "NETWORK,udp",
                           "DSCP,46",
                           "UID,1000",
                           "SRC-MAC,02:00:5e:10:00:01",
                           "TIME,mon-fri 08:00-18:00 Europe/Berlin",
                           "PROCESS-NAME,curl",
                           "PROCESS-NAME-REGEX,^c{1,2}",
                           "PROCESS-NAME-WILDCARD,c*",
                           "PROCESS-PATH,/a (b)/c",
                           "PROCESS-PATH-REGEX,^/(a|b)",
                           "PROCESS-PATH-WILDCARD,/a/*",
                           "RULE-SET,ads,src,no-resolve"}) {
    SCOPED_TRACE(text);
    const std::string inside = std::string("AND,((") + text + "),(NOT,((" + text + ")))),REJECT";
    const ParsedRule rule = parsed(inside);
    EXPECT_TRUE(rule.notes.empty());
    ASSERT_EQ(rule.condition.operands.size(), 2U);
    EXPECT_EQ(rule.condition.operands[0], rule.condition.operands[1].operands.at(0));
    if (std::string_view(text).find("RULE-SET") == std::string_view::npos) {
      const ParsedRule alone = parsed(text, RuleContext::rule_set);
      EXPECT_EQ(alone.condition, rule.condition.operands[0]);
    }
    parsed(std::string("SUB-RULE,(") + text + "),list");
  }
}

TEST(ParseRule, MatchAndSubRuleStandAlone) {
  for (const char* text :
       {"AND,((MATCH),(DOMAIN,a)),D", "NOT,((SUB-RULE,(DOMAIN,a))),D", "SUB-RULE,(MATCH),list"})
    EXPECT_NE(refused(text).problem.find("cannot stand inside"), std::string::npos) << text;
  for (const char* text : {"MATCH", "MATCH,DIRECT", "RULE-SET,a", "SUB-RULE,(DOMAIN,a),b",
                           "AND,((RULE-SET,a),(DOMAIN,b))"})
    EXPECT_NE(refused(text, RuleContext::rule_set).problem.find("cannot stand in a rule set"),
              std::string::npos)
        << text;
}

TEST(ParseRule, SubRuleNamesItsList) {
  for (const char* text : {"SUB-RULE,(DST-PORT,9),guarded", "SUB-RULE,((DST-PORT,9)),guarded",
                           "SUB-RULE, ( DST-PORT , 9 ) , guarded"}) {
    const ParsedRule rule = parsed(text, RuleContext::sub_rules);
    EXPECT_TRUE(rule.sub_rule && rule.condition.is(AtomKind::dst_port)) << text;
    EXPECT_EQ(rule.target, "guarded");
    EXPECT_EQ(rule.api_name, "SubRules");
  }
  EXPECT_EQ(parsed("SUB-RULE,(OR,((NETWORK,tcp),(NETWORK,udp))),x").condition.op, Op::any);
}

TEST(ParseRule, FaultsSayWhereTheyStand) {
  const struct {
    const char* text;
    const char* problem;
    std::size_t offset;
  } rows[] = {
      {"DOMAIN", "is not complete", 0},
      {"  GEOSITE:x,DIRECT", "unsupported rule type \"GEOSITE:x\"", 2},
      {"AND,((DOMAIN,a.test),(DST-PORT,x)),DIRECT", "\"x\" is not a list of ports", 31},
      {"AND,((DOMAIN,a.test),(DOMIAN,b)),DIRECT", "unsupported rule type \"DOMIAN\"", 22},
      {"AND,((DOMAIN,a.test),(DOMAIN,b),DIRECT", "\"DIRECT\" stands among the conditions", 32},
      {"AND,((DOMAIN,a.test),(DOMAIN,b),,DIRECT", "a condition is missing", 32},
      {"AND,((DOMAIN,a.test),(DOMAIN,b", "the parenthesis that opens \"(DOMAIN,b\" is not closed",
       21},
      {"AND,(DOMAIN,a.test),DIRECT", "is not complete", 0},
      {"AND,((DOMAIN,a.test)) DIRECT", "a comma is missing behind the parentheses", 22},
      {"AND,((DOMAIN,a.test))", "is not complete", 0},
      {"AND,((NOT,((DOMAIN,a)) x)),D", "a comma is missing", 23},
      {"AND,(),DIRECT", "is not complete", 0},
      {"NOT,((DOMAIN,a),(DOMAIN,b)),DIRECT", "NOT takes one condition", 4},
      {"OR,((DOMAIN)),DIRECT", "the condition is not complete", 4},
      {"OR,((DOMAIN,)),DIRECT", "the condition is not complete", 4},
      {"SUB-RULE,(DOMAIN,a)", "is not complete", 0},
      {"DST-PORT, ,80,DIRECT", "\",80\" is not a list of ports", 10},
      {"NOT,((DST-PORT, ,80, ))", "\",80,\" is not a list of ports", 16},
      {"", "unsupported rule type \"\"", 0},
  };
  for (const auto& row : rows) {
    const RuleFault fault = refused(row.text);
    EXPECT_EQ(fault.problem, row.problem) << row.text;
    EXPECT_EQ(fault.offset, row.offset) << row.text;
    EXPECT_FALSE(fault.remedy.empty()) << row.text;
  }
}

TEST(ParseRule, AnEntryOfAListIsNotToldToHaveATarget) {
  EXPECT_EQ(refused("BAR,x", RuleContext::rule_set).remedy, "write TYPE,payload with a known type");
  EXPECT_EQ(refused("BAR,x,DIRECT", RuleContext::rules).remedy,
            "write TYPE,payload,target with a known type");
}

TEST(ParseRule, DepthAndSizeAreBounded) {
  const auto nested = [](int depth) {
    std::string text = "DOMAIN,a.test";
    for (int i = 0; i < depth; ++i) text.insert(0, "NOT,((").append("))");
    return text;
  };
  parsed(nested(16), RuleContext::rule_set);
  EXPECT_EQ(refused(nested(17), RuleContext::rule_set).problem,
            "conditions are nested deeper than 16");
  refused(nested(50'000), RuleContext::rule_set);
  std::string wide = "OR,((DSCP,1)";
  for (int i = 1; i < 16'384; ++i) wide += ",(DSCP,1)";
  EXPECT_EQ(parsed(wide + ")", RuleContext::rule_set).condition.operands.size(), 16'384U);
  EXPECT_NE(refused(wide + ",(DSCP,1))", RuleContext::rule_set).problem.find("16384 conditions"),
            std::string::npos);
  EXPECT_NE(refused("DOMAIN," + std::string(1U << 20U, 'a')).problem.find("longer than 1024 KiB"),
            std::string::npos);
}

TEST(ParseRule, OptionsAndNotesAreBounded) {
  const std::string eight = ",x,x,x,x,x,x,x,x";
  const struct {
    std::string head;
    std::string tail;
  } rows[] = {{"IP-CIDR,192.0.2.1/32,D", ""},
              {"MATCH,D", ""},
              {"NOT,((DOMAIN,a)),D", ""},
              {"NOT,((DOMAIN,a", ")),D"},
              {"AND,((NOT,((DOMAIN,a))", "),(DOMAIN,a)),D"}};
  for (const auto& row : rows) {
    EXPECT_EQ(parsed(row.head + eight + row.tail).notes.size(), 8U) << row.head;
    const RuleFault fault = refused(row.head + eight + ",no-resolve" + row.tail);
    EXPECT_EQ(fault.problem, "more than 8 options") << row.head;
    EXPECT_EQ(fault.offset, row.head.size() + eight.size() + 1) << row.head;
  }
  refused("IP-CIDR,192.0.2.1/32,D" + std::string(1'000'000, ','));
  for (const char* noted : {",(DOMAIN,a,x)", ",(IP-CIDR,::ffff:0:0/96)", ",(DOMAIN-REGEX,(?=a))"}) {
    std::string wide = "OR,((DOMAIN,a)";
    for (int i = 0; i < 100; ++i) wide += noted;
    EXPECT_EQ(parsed(wide + "),D").notes.size(), 8U) << noted;
  }
}

TEST(ParseRule, WhatNoFlowCanMeetIsNoted) {
  const ParsedRule alone = parsed("IP-CIDR6,::ffff:0:0/96,REJECT,src");
  EXPECT_EQ(alone.condition.op, Op::never);
  ASSERT_EQ(alone.notes.size(), 1U);
  const ParsedRule inside = parsed("NOT,((IN-TYPE,VLESS)),REJECT");
  EXPECT_EQ(inside.condition.operands[0].op, Op::never);
  EXPECT_EQ(inside.notes[0].topic, RuleNote::Topic::matches_nothing);
}

}  // namespace
}  // namespace sluice::model
