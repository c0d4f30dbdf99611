#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

std::string faults(const std::string& entry) {
  return said("rule-providers:\n  P: {" + entry + "}\n");
}

RuleProvider provider(const std::string& entry) {
  EXPECT_EQ(faults(entry), "");
  const Config config = loaded("rule-providers:\n  P: {" + entry + "}\n");
  return config.rule_providers.size() == 1 ? config.rule_providers[0] : RuleProvider();
}

TEST(RuleProviders, EveryKeyOfOneThatIsDownloaded) {
  const RuleProvider p = provider(
      "type: http, behavior: domain, format: mrs, url: 'https://a.test/x.mrs', path: ./x.mrs, "
      "interval: 86400, proxy: DIRECT, size-limit: 10MiB, header: {Accept: [a, b], X: c}");
  EXPECT_EQ(p.name, "P");
  EXPECT_EQ(p.kind, ProviderKind::http);
  EXPECT_EQ(p.behavior, RuleBehavior::domain);
  EXPECT_EQ(p.format, RuleFormat::mrs);
  EXPECT_EQ(p.urls, std::vector<std::string>{"https://a.test/x.mrs"});
  EXPECT_EQ(p.path, "./x.mrs");
  EXPECT_EQ(p.path_place.path, "rule-providers.P.path");
  EXPECT_EQ(p.path_place.at.line, 2U);
  EXPECT_EQ(p.interval, Millis{86'400'000});
  EXPECT_EQ(p.proxy, "DIRECT");
  EXPECT_EQ(p.size_limit, 10U << 20U);
  EXPECT_EQ(p.headers, (std::vector<HeaderField>{{"Accept", {"a", "b"}}, {"X", {"c"}}}));
}

TEST(RuleProviders, DefaultsAndMirrors) {
  const RuleProvider p =
      provider("type: http, behavior: classical, url: ['https://a.test/x', 'http://b.test/x']");
  EXPECT_EQ(p.format, RuleFormat::yaml);
  EXPECT_EQ(p.urls.size(), 2U);
  EXPECT_EQ(p.interval, Millis{0});
  EXPECT_EQ(p.size_limit, 0U);
  EXPECT_TRUE(p.path.empty() && p.proxy.empty());
  EXPECT_EQ(provider("type: http, behavior: ipcidr, url: 'https://a.test/x', interval: 31536000")
                .interval,
            Millis{31'536'000'000});
  EXPECT_EQ(provider("type: file, behavior: domain, format: text, path: a.list").kind,
            ProviderKind::file);
}

TEST(RuleProviders, InlineEntriesThatAreBrokenAreLeftOut) {
  const RuleProvider p = provider(
      "type: inline, behavior: classical, payload: ['DOMAIN,a.test', "
      "'AND,((NETWORK,udp),(DST-PORT,53))', 'IP-CIDR,10.0.0.0/8,no-resolve']");
  EXPECT_EQ(p.payload.size(), 3U);
  EXPECT_EQ(provider("type: inline, behavior: domain, payload: ['+.a.test', '*.b.test', .c]")
                .payload.size(),
            3U);
  EXPECT_EQ(faults("type: inline, behavior: classical, payload: ['MATCH']"),
            "W f.yaml:2:52: rule-providers.P.payload[0]: \"MATCH\": MATCH cannot stand in a rule "
            "set; the entry is skipped; write it under rules:\n");
  for (const char* entry : {"type: inline, behavior: ipcidr, payload: [10.0.0.0/33]",
                            "type: inline, behavior: domain, payload: ['a*.test']"}) {
    EXPECT_NE(faults(entry).find("the entry is skipped"), std::string::npos) << entry;
    EXPECT_TRUE(loaded("rule-providers:\n  P: {" + std::string(entry) + "}\n")
                    .rule_providers[0]
                    .payload.empty());
  }
}

TEST(RuleProviders, WhatCannotWorkIsAnError) {
  const std::pair<const char*, const char*> rows[] = {
      {"behavior: domain, url: 'https://a.test/'", "rule-providers.P: has no type"},
      {"type: http, url: 'https://a.test/'", "rule-providers.P: has no behavior"},
      {"type: ftp, behavior: domain", "\"ftp\" is none of http, file, inline"},
      {"type: http, behavior: domian, url: 'https://a.test/'", "did you mean `domain`?"},
      {"type: http, behavior: domain", "rule-providers.P: has no url"},
      {"type: http, behavior: domain, url: 'ftp://a.test/'", "P.url: is not a web address"},
      {"type: http, behavior: domain, url: 'https://'", "P.url: is not a web address"},
      {"type: http, behavior: domain, url: ['https://a.test/', 'x y']", "P.url[1]: is not a web"},
      {"type: file, behavior: domain", "rule-providers.P: has no path"},
      {"type: inline, behavior: domain", "rule-providers.P: has no payload"},
      {"type: file, behavior: classical, format: mrs, path: a",
       "mrs files hold no classical rules"},
      {"type: file, behavior: ipcidr, format: hosts, path: a", "hosts files hold no ipcidr rules"},
      {"type: file, behavior: domain, format: 7z, path: a", "\"7z\" is none of yaml, text"},
      {"type: http, behavior: domain, url: 'https://a.test/', interval: soon", "is not a time"},
      {"type: http, behavior: domain, url: 'https://a.test/', size-limit: big", "is not a size"},
      {"type: http, behavior: domain, url: 'https://a.test/', proxy: Nobody",
       "P.proxy: proxy \"Nobody\" does not exist"},
      {"type: http, behavior: domain, url: 'https://a.test/', header: {A: \"x\\ny\"}",
       "no request can have such a field"},
  };
  for (const auto& [entry, expected] : rows) {
    const std::string out = faults(entry);
    EXPECT_NE(out.find("E f.yaml:"), std::string::npos) << entry << "\n" << out;
    EXPECT_NE(out.find(expected), std::string::npos) << entry << "\n" << out;
  }
  EXPECT_NE(said("rule-providers: {P: text}\n").find("P: is text, a map is needed"),
            std::string::npos);
}

TEST(RuleProviders, WhatMeansNothingIsSaid) {
  EXPECT_NE(faults("type: inline, behavior: domain, payload: [a.test], url: 'https://a.test/'")
                .find("rule-providers.P.url: a provider of type inline loads "
                      "nothing; it is ignored: remove it\n"),
            std::string::npos);
  EXPECT_NE(faults("type: file, behavior: domain, path: a.mrs")
                .find("the file ends in .mrs; write format: mrs"),
            std::string::npos);
  EXPECT_NE(faults("type: http, behavior: domain, url: 'https://a.test/b.srs?x=1'")
                .find("ends in .srs; write format: srs"),
            std::string::npos);
  // Public lists in yaml have such names.
  EXPECT_EQ(faults("type: http, behavior: domain, url: 'https://a.test/b.txt'"), "");
}

TEST(RuleProviders, ARuleSetNeedsItsProvider) {
  const std::string out = said(
      "rule-providers: {reject: {type: inline, behavior: domain, payload: [a.test]}}\n"
      "sub-rules: {s: ['RULE-SET,rejekt,REJECT']}\n"
      "rules: ['AND,((RULE-SET,rejct),(NETWORK,tcp)),REJECT', 'RULE-SET,reject,REJECT']\n");
  EXPECT_NE(out.find("E f.yaml:3:9: rules[0]: rule provider \"rejct\" does not exist; did you mean "
                     "`reject`?\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("E f.yaml:2:17: sub-rules.s[0]: rule provider \"rejekt\""), std::string::npos)
      << out;
  EXPECT_EQ(out.find("rules[1]: rule provider"), std::string::npos) << out;
}

TEST(GeoKeys, DefaultsAndValues) {
  const Geo none = loaded("mode: rule\n").geo;
  EXPECT_FALSE(none.dat || none.auto_update);
  EXPECT_TRUE(none.etag);
  EXPECT_EQ(none.update_interval_h, 24U);
  EXPECT_EQ(none.find_process, FindProcess::strict);
  EXPECT_EQ(none.url.geosite.size(), 1U);
  EXPECT_TRUE(none.url.geosite[0].ends_with("/geosite.dat"));
  const Geo all = loaded(
                      "geodata-mode: true\ngeodata-loader: standard\ngeosite-matcher: mph\n"
                      "geo-auto-update: true\ngeo-update-interval: 6\nfind-process-mode: off\n"
                      "etag-support: false\nglobal-ua: x/1\n"
                      "geox-url: {geoip: ['https://a.test/1', 'https://b.test/1'], asn: "
                      "'https://a.test/2'}\n")
                      .geo;
  EXPECT_TRUE(all.dat && all.auto_update);
  EXPECT_FALSE(all.etag);
  EXPECT_EQ(all.loader, GeoLoader::standard);
  EXPECT_EQ(all.matcher, GeositeMatcher::mph);
  EXPECT_EQ(all.update_interval_h, 6U);
  EXPECT_EQ(all.find_process, FindProcess::off);
  EXPECT_EQ(all.user_agent, "x/1");
  EXPECT_EQ(all.url.geoip.size(), 2U);
  EXPECT_EQ(all.url.asn, std::vector<std::string>{"https://a.test/2"});
  EXPECT_EQ(all.url.mmdb, none.url.mmdb);
}

TEST(GeoKeys, OfFindProcessModeOneValueIsNotBuilt) {
  EXPECT_EQ(said("find-process-mode: strict\n"), "");
  EXPECT_EQ(said("find-process-mode: off\n"), "");
  EXPECT_EQ(said("find-process-mode: always\n"),
            "W f.yaml:1:20: find-process-mode: always is known, not built yet; programs are looked "
            "up when a rule needs it, as with strict\n");
}

TEST(GeoKeys, WrongValuesAreErrors) {
  for (const char* text : {"geodata-mode: maybe\n", "geodata-loader: fast\n",
                           "geo-update-interval: 0\n", "find-process-mode: sometimes\n",
                           "geox-url: {geoip: x}\n", "geox-url: text\n", "global-ua: \"a\\nb\"\n"})
    EXPECT_NE(said(text).find("E f.yaml:1:"), std::string::npos) << text;
}

}  // namespace
}  // namespace sluice::model
