#include "ui/cli/convert/convert.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::cli {
namespace {

using ruleformats::Behavior;
using ruleformats::Bounds;
using ruleformats::golden;
using ruleformats::Recorder;
using ruleformats::Strings;

class StringSink final : public ByteSink {
 public:
  Status write(std::string_view piece) override {
    longest = std::max(longest, piece.size());
    ++pieces;
    if (pieces > room) return fail(Errc::no_room);
    text.append(piece);
    return {};
  }
  std::string text;
  std::size_t pieces = 0;
  std::size_t longest = 0;
  std::size_t room = SIZE_MAX;
};

/// One conversion and all that can be seen of it.
struct Job {
  std::string in;
  SourceFormat from = SourceFormat::text;
  Conversion how;
  GeoPart part;

  std::string out;
  std::string left;
  std::uint64_t entries = 0;
  Behavior behavior = Behavior::domain;
  Failure failure{ExitCode::ok, {}};

  bool go(const Bounds& bounds = {}) {
    const ByteView file = as_byte_view(in);
    LeftOut left_out("IN");
    const auto source = RuleSource::open("IN", from, how.behavior, part, file, bounds);
    if (!source) return failed(source.error());
    StringSink sink;
    const auto done = convert(*source, file, how, bounds, left_out, sink);
    left = left_out.report();
    out = sink.text;
    if (!done) return failed(done.error());
    entries = done->entries;
    behavior = done->behavior;
    return true;
  }
  bool failed(const Failure& why) {
    failure = why;
    return false;
  }
};

Strings lines_of(const std::string& text) {
  Strings out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(out);
  return out;
}

Strings sorted(Strings list) {
  std::ranges::sort(list);
  return list;
}

TEST(Convert, NamesGoThroughMrsAndBackAsASet) {
  const std::string names = "b.test\n+.a.test\n.below.test\n*.wild.test\nxn--fiq228c.test\n";
  Job to_mrs{.in = names, .how = {OutFormat::mrs, {}}};
  ASSERT_TRUE(to_mrs.go()) << to_mrs.failure.text;
  EXPECT_EQ(to_mrs.entries, 5u);
  EXPECT_EQ(to_mrs.behavior, Behavior::domain);
  EXPECT_EQ(to_mrs.left, "");
  Job back{.in = to_mrs.out, .from = SourceFormat::mrs, .how = {OutFormat::text, {}}};
  ASSERT_TRUE(back.go()) << back.failure.text;
  EXPECT_EQ(lines_of(back.out), lines_of(names));
}

TEST(Convert, PrefixesGoThroughMrsAndBackAsASet) {
  const std::string prefixes = "10.0.0.0/8\n192.0.2.7/32\n2001:db8::/32\n";
  Job to_mrs{.in = "payload:\n  - 10.0.0.0/8\n  - '192.0.2.7'\n  - \"2001:db8::/32\"\n",
             .from = SourceFormat::yaml,
             .how = {OutFormat::mrs, {}}};
  ASSERT_TRUE(to_mrs.go()) << to_mrs.failure.text;
  EXPECT_EQ(to_mrs.behavior, Behavior::ipcidr);
  Job back{.in = to_mrs.out, .from = SourceFormat::mrs, .how = {OutFormat::text, {}}};
  ASSERT_TRUE(back.go()) << back.failure.text;
  EXPECT_EQ(back.behavior, Behavior::ipcidr) << "the file says what it holds";
  EXPECT_EQ(lines_of(back.out), lines_of(prefixes));
}

TEST(Convert, TextAndYamlSayTheSame) {
  Job run{.in = "+.a.test\nit's.test\n", .how = {OutFormat::yaml, {}}};
  ASSERT_TRUE(run.go());
  EXPECT_EQ(run.out, "payload:\n  - '+.a.test'\n  - 'it''s.test'\n");
  Job back{.in = run.out, .from = SourceFormat::yaml, .how = {OutFormat::text, {}}};
  ASSERT_TRUE(back.go());
  EXPECT_EQ(back.out, "+.a.test\nit's.test\n");
}

TEST(Convert, WhatAListHoldsIsSeenFromItsEntries) {
  const std::pair<const char*, Behavior> table[] = {
      {"a.test\nb.test\n", Behavior::domain},
      {"10.0.0.1\n10.0.0.2\n", Behavior::ipcidr},
      {"10.0.0.0/8\nbroken/\n2001:db8::/32\n", Behavior::ipcidr},
      {"DOMAIN,a.test\nDST-PORT,443\n# a comment\n", Behavior::classical},
      {"DOMAIN,a.test\nnot a rule\n", Behavior::classical},
      {"", Behavior::domain}};
  for (const auto& [text, behavior] : table) {
    Job run{.in = text, .how = {OutFormat::text, {}}};
    ASSERT_TRUE(run.go()) << text << run.failure.text;
    EXPECT_EQ(run.behavior, behavior) << text;
  }
  Job asked{.in = "10.0.0.1\n", .how = {OutFormat::text, Behavior::domain}};
  ASSERT_TRUE(asked.go());
  EXPECT_EQ(asked.out, "10.0.0.1\n") << "a name, since the user says so";
  EXPECT_EQ(asked.behavior, Behavior::domain);
}

TEST(Convert, PlainRulesBecomeNamesOrPrefixes) {
  const std::string rules =
      "DOMAIN,A.test\nDOMAIN-SUFFIX,s.test\nDOMAIN-WILDCARD,*.w.test\nDOMAIN-WILDCARD,a?.test\n"
      "IP-CIDR,10.1.2.3/8,no-resolve\nIP-CIDR6,2001:db8::/32\nIP-CIDR,10.0.0.0/8,src\n"
      "DST-PORT,443\nDOMAIN,bad..test\n";
  Job names{.in = rules, .how = {OutFormat::mrs, {}}};
  ASSERT_TRUE(names.go()) << names.failure.text;
  EXPECT_EQ(names.behavior, Behavior::domain);
  EXPECT_EQ(names.entries, 3u);
  EXPECT_NE(names.left.find("6 entries are left out:\n"), std::string::npos) << names.left;
  Job prefixes{.in = rules, .how = {OutFormat::text, Behavior::ipcidr}};
  ASSERT_TRUE(prefixes.go()) << prefixes.failure.text;
  EXPECT_EQ(prefixes.out, "10.0.0.0/8\n2001:db8::/32\n");
  Job kept{.in = rules, .how = {OutFormat::text, {}}};
  ASSERT_TRUE(kept.go());
  EXPECT_EQ(kept.out, rules.substr(0, rules.find("DOMAIN,bad")))
      << "a rule stays what it is where it has a form";
}

// What a router would leave out of the list is no use in another format either.
TEST(Convert, RulesThatAreNoneAreLeftOutWithTheReason) {
  Job job{"DOMAIN,a.test\nDOMIAN,b.test\nDST-PORT,80-\nDOMAIN-REGEX,(\nDST-PORT,443\n",
          SourceFormat::text,
          {OutFormat::yaml, Behavior::classical},
          {}};
  ASSERT_TRUE(job.go()) << job.failure.text;
  EXPECT_EQ(job.out, "payload:\n  - 'DOMAIN,a.test'\n  - 'DST-PORT,443'\n");
  EXPECT_EQ(job.entries, 2U);
  EXPECT_TRUE(
      job.left.starts_with("3 entries are left out:\n  IN:2:1: `DOMIAN,b.test` unsupported"))
      << job.left;
}

TEST(Convert, AWholeConfigurationIsNoList) {
  Job job{"mixed-port: 7890\nrules:\n  - DOMAIN,a.test,DIRECT\n",
          SourceFormat::yaml,
          {OutFormat::text, {}},
          {}};
  EXPECT_FALSE(job.go());
  EXPECT_EQ(job.failure.code, ExitCode::refused);
  EXPECT_TRUE(job.failure.text.starts_with("IN is a whole configuration; ")) << job.failure.text;
  Job list{"# of rules\nname: mine\nrules:\n  - DOMAIN,a.test\n",
           SourceFormat::yaml,
           {OutFormat::text, Behavior::classical},
           {}};
  EXPECT_TRUE(list.go()) << list.failure.text;
}

TEST(Convert, FilesOfSingBoxBecomeRules) {
  for (const char* name : {"v2.srs", "v3.srs", "rules.json"}) {
    Job run{.in = golden(name), .how = {OutFormat::text, {}}};
    run.from = *guess_source_format(name, as_byte_view(run.in));
    ASSERT_TRUE(run.go()) << name << run.failure.text;
    EXPECT_EQ(run.behavior, Behavior::classical);
    const Strings lines = lines_of(run.out);
    for (const char* rule :
         {"DOMAIN,exact.test", "DOMAIN-SUFFIX,suffix.test", "DOMAIN-WILDCARD,*.below.test",
          "DOMAIN-KEYWORD,kw", "IP-CIDR,10.1.0.0/16", "IP-CIDR6,2001:db8::/32"})
      EXPECT_TRUE(std::ranges::binary_search(lines, rule)) << name << " " << rule;
    EXPECT_EQ(run.entries, lines.size());
    EXPECT_NE(run.left, "") << "wifi_ssid has no counterpart";
  }
}

TEST(Convert, AFilterListSaysWhichOfItsLinesAreNoList) {
  Job run{.in = golden("adguard.txt"),
          .from = SourceFormat::adguard,
          .how = {OutFormat::text, Behavior::domain}};
  ASSERT_TRUE(run.go()) << run.failure.text;
  EXPECT_EQ(sorted(lines_of(run.out)),
            sorted({"+.ads.test", "exact.test", "+.firm.test", "plain.test"}));
  EXPECT_NE(run.left.find("IN:6:1: `good.ads.test` is an exception"), std::string::npos)
      << run.left;
}

TEST(Convert, HostsFilesAreNames) {
  Job run{
      .in = "0.0.0.0 a.test b.test\n", .from = SourceFormat::hosts, .how = {OutFormat::mrs, {}}};
  ASSERT_TRUE(run.go());
  EXPECT_EQ(run.entries, 2u);
}

TEST(Convert, PartsOfGeoDatabases) {
  Job site{.in = golden("geosite.dat"),
           .from = SourceFormat::dat,
           .how = {OutFormat::text, {}},
           .part = {.category = "sample@ads"}};
  ASSERT_TRUE(site.go()) << site.failure.text;
  EXPECT_EQ(site.out, "+.ads.sample.test\n");
  Job country{.in = golden("country.mmdb"),
              .from = SourceFormat::mmdb,
              .how = {OutFormat::text, {}},
              .part = {.country = "CN"}};
  ASSERT_TRUE(country.go()) << country.failure.text;
  EXPECT_EQ(lines_of(country.out), (Strings{"10.1.0.0/16", "192.0.2.7/32", "2001:db8::/32"}));
  Job system{.in = golden("asn4.mmdb"),
             .from = SourceFormat::mmdb,
             .how = {OutFormat::mrs, {}},
             .part = {.asn = 13335}};
  ASSERT_TRUE(system.go()) << system.failure.text;
  EXPECT_EQ(system.behavior, Behavior::ipcidr);
  EXPECT_EQ(system.entries, 2u);
}

TEST(Convert, ADatFileOfAddressesIsToldFromOneOfNames) {
  Job run{.in = golden("geoip.dat"),
          .from = SourceFormat::dat,
          .how = {OutFormat::text, {}},
          .part = {.category = "cn"}};
  ASSERT_TRUE(run.go()) << run.failure.text;
  EXPECT_EQ(run.behavior, Behavior::ipcidr);
  EXPECT_EQ(run.out, "10.1.0.0/16\n192.0.2.7/32\n2001:db8::/32\n0.0.0.0/0\n");
  Job inverse{.in = golden("geoip.dat"),
              .from = SourceFormat::dat,
              .how = {},
              .part = {.category = "notus"}};
  ASSERT_FALSE(inverse.go()) << "its entries are what it is not";
  EXPECT_EQ(inverse.failure.code, ExitCode::refused);
  EXPECT_EQ(inverse.out, "");
}

TEST(Convert, APartThatIsNotThereNamesTheNearest) {
  Job category{.in = golden("geosite.dat"),
               .from = SourceFormat::dat,
               .how = {},
               .part = {.category = "sampel"}};
  ASSERT_FALSE(category.go());
  EXPECT_EQ(category.failure.code, ExitCode::not_found);
  EXPECT_EQ(category.failure.text, "IN (dat) has no such category; did you mean `SAMPLE`?");
  Job country{.in = golden("country.mmdb"),
              .from = SourceFormat::mmdb,
              .how = {},
              .part = {.country = "zz"}};
  ASSERT_FALSE(country.go());
  EXPECT_EQ(country.failure.code, ExitCode::not_found);
  EXPECT_NE(country.failure.text.find("it has "), std::string::npos) << country.failure.text;
  Job inverse{.in = golden("geosite.dat"),
              .from = SourceFormat::dat,
              .how = {},
              .part = {.category = "!sample"}};
  ASSERT_FALSE(inverse.go());
  EXPECT_EQ(inverse.failure.code, ExitCode::refused);
}

TEST(Convert, PartsAreAskedForWhereThereAreSome) {
  Job no_category{.in = golden("geosite.dat"), .from = SourceFormat::dat, .how = {}};
  Job no_country{.in = golden("country.mmdb"), .from = SourceFormat::mmdb, .how = {}};
  Job too_much{.in = "a.test\n", .how = {}, .part = {.category = "cn"}};
  Job wrong_one{.in = golden("geosite.dat"),
                .from = SourceFormat::dat,
                .how = {},
                .part = {.category = "sample", .country = "cn"}};
  for (Job* run : {&no_category, &no_country, &too_much, &wrong_one}) {
    ASSERT_FALSE(run->go());
    EXPECT_EQ(run->failure.code, ExitCode::usage) << run->failure.text;
    EXPECT_NE(run->failure.text.find("--"), std::string::npos) << run->failure.text;
  }
}

TEST(Convert, ABrokenFileIsRefusedWithThePlace) {
  std::string cut = golden("domain.mrs");
  cut.resize(cut.size() / 2);
  Job mrs{.in = cut, .from = SourceFormat::mrs, .how = {}};
  ASSERT_FALSE(mrs.go());
  EXPECT_EQ(mrs.failure.code, ExitCode::refused);
  EXPECT_TRUE(mrs.failure.text.starts_with("IN (mrs) ")) << mrs.failure.text;
  Job yaml{.in = "rules-of-mine:\n  - a.test\n", .from = SourceFormat::yaml, .how = {}};
  ASSERT_FALSE(yaml.go());
  EXPECT_EQ(yaml.failure.code, ExitCode::refused);
  EXPECT_EQ(yaml.out, "");
}

TEST(Convert, WithoutAnyFittingEntryNothingIsWritten) {
  Job wrong{.in = "10.0.0.0/8\n", .how = {OutFormat::yaml, Behavior::domain}};
  ASSERT_FALSE(wrong.go());
  EXPECT_EQ(wrong.failure.code, ExitCode::refused);
  EXPECT_EQ(wrong.out, "");
  Job ports{.in = "DST-PORT,443\n", .how = {OutFormat::mrs, {}}};
  ASSERT_FALSE(ports.go());
  EXPECT_EQ(ports.out, "");
  Job empty{.in = "# nothing\n", .how = {OutFormat::mrs, {}}};
  ASSERT_FALSE(empty.go());
  Job rules{.in = "DST-PORT,443\n", .how = {OutFormat::mrs, Behavior::classical}};
  ASSERT_FALSE(rules.go());
  EXPECT_EQ(rules.failure.code, ExitCode::usage);
}

TEST(Convert, OnlyTheFirstOfManyFaultsAreTold) {
  std::string text = "good.test\n";
  for (int i = 0; i < 25; ++i) text += "bad..name" + std::string(300, 'x') + "\n";
  Job run{.in = text, .how = {OutFormat::text, {}}};
  ASSERT_TRUE(run.go());
  EXPECT_EQ(run.out, "good.test\n");
  EXPECT_TRUE(run.left.starts_with("25 entries are left out:\n  IN:2:1: `bad..name")) << run.left;
  EXPECT_TRUE(run.left.ends_with("  … 15 more\n")) << run.left;
  EXPECT_EQ(std::ranges::count(run.left, '\n'), 12);
  EXPECT_LT(run.left.size(), 3'000u) << "of each entry only the start";
}

TEST(Convert, ALongListGoesOutInPieces) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "n" + std::to_string(i) + ".example.test\n";
  const ByteView file = as_byte_view(text);
  const auto source = RuleSource::open("IN", SourceFormat::text, {}, {}, file, {});
  ASSERT_TRUE(source);
  LeftOut left_out("IN");
  StringSink sink;
  const auto done = convert(*source, file, {OutFormat::text, {}}, {}, left_out, sink);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->entries, 100'000u);
  EXPECT_EQ(sink.text, text);
  EXPECT_GT(sink.pieces, 10u);
  EXPECT_LT(sink.longest, 70'000u);

  StringSink full;
  full.room = 3;
  const auto failed = convert(*source, file, {OutFormat::text, {}}, {}, left_out, full);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ExitCode::usage);
  EXPECT_EQ(full.pieces, 4u) << "nothing is tried after the first failure";
}

TEST(Convert, TheBoundsOfRuleFilesHold) {
  Job run{.in = "a.test\nb.test\nc.test\n", .how = {OutFormat::text, {}}};
  Bounds bounds;
  bounds.entries = 2;
  ASSERT_FALSE(run.go(bounds));
  EXPECT_EQ(run.failure.code, ExitCode::refused);
}

TEST(Convert, FormatsAreSeenFromContentAndName) {
  EXPECT_EQ(guess_source_format("GeoSite.dat", {}), SourceFormat::dat);
  EXPECT_EQ(guess_source_format("geoip.metadb", {}), SourceFormat::mmdb);
  EXPECT_EQ(guess_source_format("Country.MMDB", {}), SourceFormat::mmdb);
  EXPECT_EQ(guess_source_format("-", as_byte_view("SRS\x01")), SourceFormat::srs);
  EXPECT_EQ(guess_source_format("ads.list", as_byte_view("a.test\n")), SourceFormat::text);
  EXPECT_EQ(guess_source_format("-", as_byte_view("a.test\n")), std::nullopt);
  for (const char* name : {"text", "yaml", "mrs", "srs", "json", "adguard", "hosts", "dat", "mmdb"})
    EXPECT_EQ(to_text(*parse_source_format(name)), name);
  EXPECT_FALSE(parse_source_format("xml"));
}

}  // namespace
}  // namespace sluice::cli
