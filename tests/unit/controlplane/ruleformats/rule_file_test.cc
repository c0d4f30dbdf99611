#include "controlplane/ruleformats/rule_file.h"

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

std::optional<Format> guess(std::string_view name, std::string_view start) {
  return guess_format(name, as_byte_view(start));
}

TEST(RuleFile, NamesOfFormatsGoBothWays) {
  for (const Format format : {Format::text, Format::yaml, Format::mrs, Format::srs, Format::json,
                              Format::adguard, Format::hosts})
    EXPECT_EQ(*parse_format(to_text(format)), format);
  EXPECT_EQ(parse_format("xml").error().code, Errc::not_found);
}

TEST(RuleFile, GuessesByContentThenByName) {
  EXPECT_EQ(guess("x.yaml", golden("domain.mrs")), Format::mrs);
  EXPECT_EQ(guess("x", golden("v1.srs")), Format::srs);
  EXPECT_EQ(guess("x", golden("rules.json")), Format::json);
  EXPECT_EQ(guess("x.txt", "[Adblock Plus 2.0]\n"), Format::adguard);
  EXPECT_EQ(guess("ADS.YML", "payload:\n"), Format::yaml);
  EXPECT_EQ(guess("ads.list", "a.test\n"), Format::text);
  EXPECT_EQ(guess("/etc/hosts", "127.0.0.1 localhost\n"), Format::hosts);
  EXPECT_EQ(guess("ads", "a.test\n"), std::nullopt);
}

TEST(RuleFile, ReadsByFormat) {
  const std::pair<Format, std::string> files[] = {
      {Format::text, "a.test\n"},
      {Format::yaml, "payload: [a.test]\n"},
      {Format::json, R"({"version":1,"rules":[{"domain":"a.test"}]})"},
      {Format::adguard, "|a.test^\n"},
      {Format::hosts, "0.0.0.0 a.test\n"}};
  for (const auto& [format, text] : files) {
    Recorder got;
    ASSERT_TRUE(read_rule_file(format, Behavior::domain, as_byte_view(text), {}, got));
    EXPECT_EQ(got.entries, Strings{"exact a.test"}) << to_text(format);
  }
  Recorder got;
  const std::string mrs = golden("ipcidr.mrs");
  EXPECT_EQ(*read_rule_file(Format::mrs, Behavior::ipcidr, as_byte_view(mrs), {}, got),
            (Tally{7, 0}));
  const std::string srs = golden("v2.srs");
  EXPECT_EQ(*read_rule_file(Format::srs, Behavior::domain, as_byte_view(srs), {}, got),
            (Tally{15, 1}));
  EXPECT_EQ(read_rule_file(Format::hosts, Behavior::ipcidr, {}, {}, got).error().code,
            Errc::unsupported);
}

}  // namespace
}  // namespace sluice::ruleformats
