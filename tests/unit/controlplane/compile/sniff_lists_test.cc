// The lists of `sniffer:`, from the file to what a data plane finds in them.
#include "controlplane/compile/sniff_lists.h"

#include "controlplane/compile/set_refs.h"
#include "dataplane/route/sniff_lists.h"
#include "tests/unit/controlplane/compile/decider.h"

namespace sluice::compile {
namespace {

constexpr const char* kFile = R"(
rule-providers: {names: {type: file, behavior: domain, format: text, path: a}}
listeners: [{name: kids, type: mixed, port: 7891, rule: quiet}]
sub-rules: {quiet: ['DST-PORT,25,REJECT', 'MATCH,DIRECT']}
rules: ['DOMAIN,first.test,REJECT', 'RULE-SET,names,REJECT']
sniffer:
  enable: true
  sniff: {TLS: {ports: [443]}}
  force-domain: [+.forced.test, '*.one.test']
  skip-domain: ['geosite:cn', 'rule-set:names', plain.test]
  skip-src-address: [192.168.1.3/32]
  skip-dst-address: ['geoip:cn', fd00::/8]
)";

TextSets contents() {
  TextSets out;
  out.names("names", "+.ads.test\n");
  out.contents[{SetKind::geosite, "cn"}] = {ruleformats::Behavior::domain, "+.cn.test\n"};
  out.contents[{SetKind::geoip, "cn"}] = {ruleformats::Behavior::ipcidr, "198.51.100.0/24\n"};
  return out;
}

TEST(SniffLists, AreFoundInTheBlockOfTheRules) {
  const Decider d(kFile, contents());
  const contract::Sniffer& s = d.manifest().sniffer;
  const auto named = [&](const std::optional<std::uint32_t>& entry, std::string_view name) {
    ruleset::Key key;
    key.name = name;
    return route::is_listed(d.snapshot(), entry, key);
  };
  const auto at = [&](const std::optional<std::uint32_t>& entry, std::string_view source,
                      std::string_view destination) {
    ruleset::Key key;
    key.source = *IpAddress::parse(source);
    key.destination = *IpAddress::parse(destination);
    return route::is_listed(d.snapshot(), entry, key);
  };
  EXPECT_TRUE(named(s.force_domain, "x.y.forced.test"));
  EXPECT_TRUE(named(s.force_domain, "a.one.test"));
  EXPECT_FALSE(named(s.force_domain, "a.b.one.test"));
  EXPECT_FALSE(named(s.force_domain, "first.test")) << "that is a rule";
  for (const char* name : {"x.cn.test", "ads.test", "plain.test"})
    EXPECT_TRUE(named(s.skip_domain, name)) << name;
  EXPECT_FALSE(named(s.skip_domain, "x.forced.test"));
  EXPECT_TRUE(at(s.skip_source, "192.168.1.3", "192.0.2.1"));
  EXPECT_FALSE(at(s.skip_source, "192.0.2.1", "192.168.1.3"));
  EXPECT_TRUE(at(s.skip_destination, "192.168.1.3", "198.51.100.9"));
  EXPECT_TRUE(at(s.skip_destination, "::1", "fd00::1"));
  EXPECT_FALSE(at(s.skip_destination, "198.51.100.9", "192.0.2.1"));
  EXPECT_FALSE(named(std::nullopt, "x.forced.test"));
}

TEST(SniffLists, LeaveTheRulesAsTheyAre) {
  const Decider d(kFile, contents());
  EXPECT_EQ(d.manifest().rules.size(), 4U);
  EXPECT_EQ(d.line("to=first.test:443"), 0);
  EXPECT_EQ(d.line("to=x.ads.test:443"), 1);
  EXPECT_EQ(d.line("to=x.forced.test:443"), -1);
  EXPECT_EQ(d.line("to=a.test:25 entry=1"), 2);
  EXPECT_FALSE(d.snapshot().list_of(*d.manifest().sniffer.force_domain));
  EXPECT_FALSE(d.snapshot().first_line(*d.manifest().sniffer.skip_domain));
}

TEST(SniffLists, NameTheirSetsWhileTheSnifferIsOn) {
  const std::string file = kFile;
  const auto loaded = model::load_config(file, "f.yaml");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(sets_of(*loaded.config),
            (std::vector<SetRef>{
                {SetKind::provider, "names"}, {SetKind::geosite, "cn"}, {SetKind::geoip, "cn"}}));
  std::string off = file;
  off.replace(off.find("enable: true"), 12, "enable: false");
  const auto quiet = model::load_config(off, "f.yaml");
  ASSERT_TRUE(quiet.config);
  EXPECT_EQ(sets_of(*quiet.config), (std::vector<SetRef>{{SetKind::provider, "names"}}));
  EXPECT_EQ(compile_sniffer(*quiet.config), contract::Sniffer{});
}

}  // namespace
}  // namespace sluice::compile
