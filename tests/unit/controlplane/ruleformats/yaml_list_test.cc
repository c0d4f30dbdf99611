#include "controlplane/ruleformats/yaml_list.h"

#include "controlplane/ruleformats/yaml_scalar.h"
#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

Outcome<Tally> read(std::string_view text, Recorder& to, Behavior behavior = Behavior::domain) {
  return read_yaml_list(as_byte_view(text), behavior, {}, to);
}

TEST(YamlList, PlainSingleAndDoubleQuotedEntries) {
  Recorder got;
  const auto tally = read(
      "# a list\n---\npayload:   # names\n  # inside\n  - plain.test # why\n  - '+.single.test'\n"
      "  - \"\\x64ouble\\u002etest\"\n\n  -   '*.wild.test'   # also\n  - +.plus.test\n",
      got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(*tally, (Tally{5, 0}));
  EXPECT_EQ(got.entries, (Strings{"exact plain.test", "suffix single.test", "exact double.test",
                                  "exact* *.wild.test", "suffix plus.test"}));
  EXPECT_EQ(got.places[1], (Place{1, 6, 5}));
}

TEST(YamlList, RulesKeyItemsAtTheKeysColumnAndOtherKeys) {
  Recorder got;
  ASSERT_TRUE(
      read("version: 1\nmeta:\n  - not.an.entry\nrules:\n- DOMAIN,a.test\n"
           "- 'DOMAIN-REGEX,^it''s{1,2}$'\nother:\n  - no\n",
           got, Behavior::classical));
  EXPECT_EQ(got.entries, (Strings{"DOMAIN,a.test", "DOMAIN-REGEX,^it's{1,2}$"}));
  EXPECT_TRUE(got.faults.empty());
}

TEST(YamlList, FlowLists) {
  Recorder got;
  ASSERT_TRUE(read("payload: [a.test, '+.b.test', # one\n  \"c.test\",\n]\n", got));
  EXPECT_EQ(got.entries, (Strings{"exact a.test", "suffix b.test", "exact c.test"}));
  EXPECT_EQ(*read("payload: []\n", got), (Tally{0, 0}));
  EXPECT_EQ(*read("payload: [a.test", got), (Tally{1, 1}));
  EXPECT_EQ(got.faults.back(), "1:1:  ends before the `]` of its list");
}

TEST(YamlList, BrokenEntriesCostOnlyThemselves) {
  Recorder got;
  const auto tally = read(
      "payload:\n  - *.alias.test\n  - 'open\n  - key: value\n  - [x]\n  -\n  - 'a.test' b\n"
      "    continued\n  - \"\\q\"\n  - good.test\n",
      got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(got.entries, Strings{"exact good.test"});
  EXPECT_EQ(got.faults,
            (Strings{"2:5: *.alias.test starts with a sign of YAML's own; put it in quotes",
                     "3:5: 'open has no closing quote on its line",
                     "4:5: key: value is a map; write one text",
                     "5:5: [x] is a list or a map; write one text", "6:3: - is empty",
                     "7:5: 'a.test' b has text after its closing quote",
                     "8:5: continued is not a list entry; each takes one line that starts with `-`",
                     "9:5: \"\\q\" has an escape that YAML does not know"}));
}

TEST(YamlList, NeedsItsKeyOnlyWhenThereIsContent) {
  Recorder got;
  EXPECT_EQ(*read("", got), (Tally{0, 0}));
  EXPECT_EQ(*read("# nothing\n---\n", got), (Tally{0, 0}));
  EXPECT_EQ(*read("payload:\n", got), (Tally{0, 0}));
  EXPECT_EQ(*read("payload: ~\n", got), (Tally{0, 0}));
  for (const char* text : {"<html><body>502</body></html>\n", "payloads:\n  - a.test\n",
                           "proxies:\n  - name: a\n", "- a.test\n"}) {
    const auto refused = read(text, got);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error(), (Refusal{Errc::malformed, 0, "has no list under `payload:`"}));
  }
}

TEST(YamlScalar, EscapesOfYaml) {
  std::string scratch;
  const auto value = [&scratch](std::string_view text) {
    return std::string(read_yaml_scalar(text, YamlContext::block, scratch).value);
  };
  EXPECT_EQ(value(R"("a\tb\"\\\/\x41\u00fc\u20ac\U0001F600")"),
            "a\tb\"\\/A\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(value("a#b # c"), "a#b");
  EXPECT_EQ(value("a:b"), "a:b");
  for (const char* text : {R"("\ud800")", R"("\U00110000")", R"("\x4")", R"("\x4g")", R"("\)"})
    EXPECT_FALSE(read_yaml_scalar(text, YamlContext::block, scratch).reason.empty()) << text;
}

}  // namespace
}  // namespace sluice::ruleformats
