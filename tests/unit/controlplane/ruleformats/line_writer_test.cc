#include "controlplane/ruleformats/line_writer.h"

#include "controlplane/ruleformats/text_list.h"
#include "controlplane/ruleformats/yaml_list.h"
#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kLists[] = {
    "exact.test\n+.suffix.test\n.below.test\n*.one.test\n+.*.deep.test\n",
    "10.0.0.0/8\n192.0.2.7/32\n2001:db8::/32\n",
    "DOMAIN,a.test\nDOMAIN-REGEX,^it's{1,2}$\nAND,((NETWORK,udp),(DST-PORT,53))\n"};

TEST(LineWriter, TextAndYamlRoundTripEveryBehavior) {
  for (const Behavior behavior : {Behavior::domain, Behavior::ipcidr, Behavior::classical}) {
    const std::string_view list = kLists[static_cast<int>(behavior)];
    Recorder faults;
    std::string text;
    std::string yaml;
    LineWriter text_writer(LineFormat::text, behavior, text, faults);
    LineWriter yaml_writer(LineFormat::yaml, behavior, yaml, faults);
    ASSERT_TRUE(read_text_list(as_byte_view(list), behavior, {}, text_writer));
    ASSERT_TRUE(read_text_list(as_byte_view(list), behavior, {}, yaml_writer));
    EXPECT_EQ(text, list);
    Recorder from_text;
    Recorder from_yaml;
    ASSERT_TRUE(read_text_list(as_byte_view(list), behavior, {}, from_text));
    ASSERT_TRUE(read_yaml_list(as_byte_view(yaml), behavior, {}, from_yaml));
    EXPECT_EQ(from_yaml.entries, from_text.entries);
    EXPECT_EQ(faults.faults, Strings{});
  }
}

TEST(LineWriter, NamesAndPrefixesAsClassicalRules) {
  std::string out;
  Recorder faults;
  LineWriter writer(LineFormat::text, Behavior::classical, out, faults);
  ASSERT_TRUE(read_text_list(as_byte_view(kLists[0]), Behavior::domain, {}, writer));
  ASSERT_TRUE(read_text_list(as_byte_view(kLists[1]), Behavior::ipcidr, {}, writer));
  writer.name({NameKind::glob, Weight::listed, false, "a*.test", {}});
  writer.name({NameKind::keyword, Weight::listed, false, "ads", {}});
  EXPECT_EQ(out,
            "DOMAIN,exact.test\nDOMAIN-SUFFIX,suffix.test\nDOMAIN-WILDCARD,*.below.test\n"
            "DOMAIN-REGEX,^[^.]+\\.one\\.test$\nDOMAIN-REGEX,^(.+\\.)?[^.]+\\.deep\\.test$\n"
            "IP-CIDR,10.0.0.0/8\nIP-CIDR,192.0.2.7/32\nIP-CIDR6,2001:db8::/32\n"
            "DOMAIN-WILDCARD,a*.test\nDOMAIN-KEYWORD,ads\n");
  EXPECT_EQ(faults.faults, Strings{});
}

TEST(LineWriter, WhatALineCannotHoldIsAFault) {
  std::string out;
  Recorder faults;
  LineWriter writer(LineFormat::text, Behavior::domain, out, faults);
  writer.name({NameKind::keyword, Weight::listed, false, "ads", {}});
  writer.name({NameKind::exact, Weight::excepted, false, "a.test", {}});
  writer.prefix(*Prefix::parse("10.0.0.0/8"), {});
  writer.line("DST-PORT,53", {});
  LineWriter rules(LineFormat::yaml, Behavior::classical, out, faults);
  rules.name({NameKind::regex, Weight::listed, false, "a\nb", {}});
  rules.name({NameKind::keyword, Weight::listed, false, "a,no-resolve", {}});
  EXPECT_EQ(out, "payload:\n");
  EXPECT_EQ(faults.faults, (Strings{"0:0: ads has no form in a list of this behavior",
                                    "0:0: a.test is an exception, which no list of this kind holds",
                                    "0:0: 10.0.0.0/8 has no form in a list of this behavior",
                                    "0:0: DST-PORT,53 has no form in a list of this behavior",
                                    "0:0: DOMAIN-REGEX,a\nb has a line break, which no line holds",
                                    "0:0: a,no-resolve has a comma, which only a regex may hold"}));
}

}  // namespace
}  // namespace sluice::ruleformats
