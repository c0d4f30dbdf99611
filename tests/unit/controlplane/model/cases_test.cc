// Faults of the field, by case id; inputs in tests/golden/cases.
#include <algorithm>

#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

LoadResult load_case(const std::string& id) {
  return load_config(golden("cases/" + id + ".yaml"), id + ".yaml");
}

TEST(ConfigCases, B002_MergesNestAndTheEarlierAnchorWins) {
  const LoadResult result = load_case("B002");
  ASSERT_TRUE(result.config) << said(result);
  const Group* nested = result.config->find_group("Nested");
  const Group* listed = result.config->find_group("Listed");
  ASSERT_TRUE(nested != nullptr && listed != nullptr);
  EXPECT_EQ(nested->members, std::vector<std::string>{"d1"});
  EXPECT_EQ(listed->type_name, "Selector");
  EXPECT_EQ(listed->members, std::vector<std::string>{"d2"});
}

TEST(ConfigCases, B002_ASecondMergeKeyIsADuplicateWithItsLine) {
  const std::string text = golden("cases/B002.yaml") + "again:\n  <<: *p\n  <<: *q\n";
  const auto lines = std::ranges::count(text, '\n');
  const std::string out = said(load_config(text, "B002.yaml"));
  EXPECT_EQ(out, "E B002.yaml:" + std::to_string(lines) +
                     ":3: again: key \"<<\" is written twice in one map, first on line " +
                     std::to_string(lines - 1) +
                     "; merge several anchors with one list: <<: [*a, *b]\n");
}

TEST(ConfigCases, B004_NamesTheMissingAnchorAndItsLine) {
  const LoadResult result = load_case("B004");
  EXPECT_FALSE(result.config);
  EXPECT_EQ(said(result),
            "E B004.yaml:13:11: proxy-providers.P.override.<<: unknown anchor *missing; "
            "write &missing above this line, or correct the name\n");
}

TEST(ConfigCases, B007_NamesTheDuplicateAndBothPositions) {
  const LoadResult result = load_case("B007");
  EXPECT_FALSE(result.config);
  const auto errors =
      std::ranges::count(result.diagnostics, Severity::error, &Diagnostic::severity);
  EXPECT_EQ(errors, 1);
  EXPECT_NE(said(result).find("E B007.yaml:10:12: proxies[2].name: \"JP 7 x2\" is already the name "
                              "of proxies[0].name on line 8; rename one of them\n"),
            std::string::npos)
      << said(result);
}

TEST(ConfigCases, B007_AGroupAndAProxyCannotShareAName) {
  const std::string out = said(
      "proxies: [{name: A, type: direct}]\n"
      "proxy-groups: [{name: A, type: select, proxies: [DIRECT]}]\n");
  EXPECT_EQ(out,
            "E f.yaml:2:23: proxy-groups[0].name: \"A\" is already the name of a proxy, "
            "proxies[0].name on line 1; rename one of them\n");
}

TEST(ConfigCases, B008_AnEscapeAndItsLiteralAreOneName) {
  const LoadResult result = load_case("B008");
  ASSERT_TRUE(result.config) << said(result);
  const Group* group = result.config->find_group("♻️ Auto");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->members,
            (std::vector<std::string>{"🇭🇰 HK", "🇯🇵 JP", "👨‍👩‍👧 fam ★"}));
  EXPECT_EQ(std::ranges::count(result.config->proxies, "🇭🇰 HK", &Proxy::name), 1);
  ASSERT_EQ(result.config->rules.size(), 2U);
  EXPECT_EQ(result.config->rules[0].target, "♻️ Auto");
}

TEST(ConfigCases, B011_AListIsRefusedByNodeAndFieldTheTextsAreAddresses) {
  std::string text = golden("cases/B011.yaml");
  const std::string out = said(load_config(text, "B011.yaml"));
  EXPECT_NE(
      out.find("E B011.yaml:18:13: proxies[3].server: \"v6bad\": is a list, one text is needed; "
               "put it in quotes if the brackets belong to the text\n"),
      std::string::npos)
      << out;
  const std::size_t from = text.find("  - name: v6bad");
  text.erase(from, text.find("rules:") - from);
  const Config config = loaded(text);
  ASSERT_EQ(config.proxies.size(), 3U);
  for (const Proxy& proxy : config.proxies) EXPECT_EQ(proxy.server, "2001:db8::1") << proxy.name;
}

TEST(ConfigCases, B013_NamesAreComparedWhole) {
  const LoadResult result = load_case("B013");
  ASSERT_TRUE(result.config) << said(result);
  EXPECT_EQ(result.config->find_group("G")->members,
            (std::vector<std::string>{"Vmess ServerA", "ServerA"}));

  std::string text = golden("cases/B013.yaml");
  const std::size_t at = text.find("\"Vmess ServerA\", ServerA]");
  text.replace(at, 15, "\"Vmess\"");
  const std::string out = said(load_config(text, "B013.yaml"));
  EXPECT_NE(out.find("E B013.yaml:12:39: proxy-groups[0].proxies[0]: group \"G\" has a member "
                     "\"Vmess\" that does not exist; "),
            std::string::npos)
      << out;
}

TEST(ConfigCases, B014_OnlyParsedValuesOpenPorts) {
  const LoadResult result = load_case("B014");
  ASSERT_TRUE(result.config) << said(result);
  ASSERT_EQ(result.config->listeners.size(), 1U);
  EXPECT_EQ(result.config->listeners[0].name, "DEFAULT-MIXED");
  EXPECT_EQ(result.config->listeners[0].port, 17890);
  EXPECT_EQ(result.config->proxies[0].name, "socks-port: 11081");
}

}  // namespace
}  // namespace sluice::model
