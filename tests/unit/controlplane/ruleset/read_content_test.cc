// Contents of every format: usable, partly usable, and broken as a whole.
#include "controlplane/ruleset/read_content.h"

#include "controlplane/ruleformats/mrs.h"
#include "controlplane/ruleformats/unpack.h"
#include "tests/unit/controlplane/ruleset/rig.h"

namespace sluice::sets {
namespace {

struct Sample {
  SourceKind kind;
  Format format;
  Behavior behavior;
  std::string content;
  std::uint32_t entries;
};

std::vector<Sample> good_samples() {
  using enum SourceKind;
  return {
      {file_list, Format::text, Behavior::domain, "+.a.test\nb.test # no comment\n\n# one\n", 1},
      {file_list, Format::yaml, Behavior::ipcidr, "payload:\n  - 10.0.0.0/8\n  - '::1'\n", 2},
      {file_list, Format::yaml, Behavior::classical,
       "payload:\n  - DST-PORT,443\n  - AND,((NETWORK,udp),(DST-PORT,53))\n", 2},
      {file_list, Format::mrs, Behavior::domain, golden("domain.mrs"), 11},
      {file_list, Format::mrs, Behavior::ipcidr, golden("ipcidr.mrs"), 7},
      {file_list, Format::srs, Behavior::domain, golden("v2.srs"), 15},
      {file_list, Format::json, Behavior::domain, golden("rules.json"), 14},
      {file_list, Format::adguard, Behavior::domain, golden("adguard.txt"), 11},
      {file_list, Format::hosts, Behavior::domain, "0.0.0.0 a.test b.test\n", 2},
      {inline_list, Format::yaml, Behavior::domain, "+.a.test\nb.test\n", 2},
      {geosite, Format::yaml, Behavior::domain, golden("geosite.dat"), 7},
      {geoip_dat, Format::yaml, Behavior::domain, golden("geoip.dat"), 5},
      {country_mmdb, Format::yaml, Behavior::domain, golden("country.mmdb"), 2},
      {country_mmdb, Format::yaml, Behavior::domain, golden("meta.metadb"), 2},
      {asn_mmdb, Format::yaml, Behavior::domain, golden("asn4.mmdb"), 3},
  };
}

Source source_of(const Sample& sample) {
  Source out = list(sample.kind, "/x", sample.format, sample.behavior);
  return out;
}

TEST(Content, OfEveryFormatIsJudgedAndHandedOver) {
  for (const Sample& sample : good_samples()) {
    const Source source = source_of(sample);
    SCOPED_TRACE(describe(source) + " " + std::string(to_text(sample.format)));
    const Findings judged = judge(source, as_byte_view(sample.content));
    EXPECT_EQ(judged.refusal, "");
    EXPECT_EQ(judged.tally.entries, sample.entries);
    if (!is_list(sample.kind)) continue;
    Taken taken;
    const Findings read = read_list(source, as_byte_view(sample.content), taken);
    EXPECT_EQ(read.tally, judged.tally);
    EXPECT_EQ(taken.entries.size(), sample.entries);
  }
}

// Cut anywhere, a binary file is refused, never taken for a smaller one; what an mmdb has behind
// its last needed byte may be missing. A text may be cut between two lines, and a .dat between two
// categories: nobody can tell.
TEST(Content, CutBinaryFilesAreRefused) {
  for (const Sample& sample : good_samples()) {
    const bool cuttable = sample.kind == SourceKind::country_mmdb ||
                          sample.kind == SourceKind::asn_mmdb || sample.format == Format::mrs ||
                          sample.format == Format::srs || sample.format == Format::json;
    if (!cuttable) continue;
    const Source source = source_of(sample);
    std::size_t refused = 0;
    for (std::size_t cut = 0; cut < sample.content.size(); ++cut) {
      const Findings found = judge(source, as_byte_view(sample.content).first(cut));
      refused += found.refusal.empty() ? 0 : 1;
      EXPECT_TRUE(!found.refusal.empty() || found.tally.entries == sample.entries)
          << describe(source) << " " << to_text(sample.format) << " " << cut;
    }
    EXPECT_GT(refused, sample.content.size() * 4 / 5);
  }
}

TEST(Content, BadEntriesAreToldAndTheRestIsUsed) {
  const Source source =
      list(SourceKind::file_list, "/home/x.txt", Format::text, Behavior::classical);
  const std::string text =
      "DOMAIN,a.test\n"
      "MATCH,DIRECT\n"
      "RULE-SET,other\n"
      "SUB-RULE,(DOMAIN,a.test),list\n"
      "DOMIAN,b.test\n"
      "AND,((DOMAIN,a.test),(RULE-SET,other))\n"
      "DST-PORT,70000\n"
      "DST-PORT,443\n";
  Taken taken;
  const Findings found = read_list(source, as_byte_view(text), taken);
  EXPECT_EQ(found.refusal, "");
  EXPECT_EQ(found.tally, (ruleformats::Tally{2, 6}));
  EXPECT_EQ(taken.entries, (Strings{"Domain", "DstPort"}));
  ASSERT_EQ(found.faults.size(), 5U);  // the sixth is only counted
  Strings told;
  for (const EntryFault& fault : found.faults) told.push_back(to_text(fault, source.path));
  EXPECT_EQ(told[0], "/home/x.txt:2:1: \"MATCH,DIRECT\": is of a type that no rule set may hold");
  EXPECT_EQ(told[2],
            "/home/x.txt:4:1: \"SUB-RULE,(DOMAIN,a.test),list\": is of a type that no rule set may "
            "hold");
  EXPECT_EQ(told[3],
            "/home/x.txt:5:1: \"DOMIAN,b.test\": unsupported rule type \"DOMIAN\"; did you mean "
            "`DOMAIN`?");
  EXPECT_EQ(told[4],
            "/home/x.txt:6:1: \"AND,((DOMAIN,a.test),(RULE-SET,other))\": RULE-SET cannot stand in "
            "a rule set; write it under rules:");
}

TEST(Content, ARegexThatIsNoneIsLeftOut) {
  const Source source = list(SourceKind::file_list, "/home/ad.txt", Format::adguard);
  Taken taken;
  const Findings found =
      read_list(source, as_byte_view("||a.test^\n/^ads(\\d+/\n/^ads\\d+\\./\n"), taken);
  EXPECT_EQ(taken.entries, (Strings{"suffix a.test", "regex ^ads\\d+\\."}));
  ASSERT_EQ(found.faults.size(), 1U);
  EXPECT_EQ(to_text(found.faults[0], "ad.txt"),
            "ad.txt:2:1: \"^ads(\\d+\" is not a regular expression: missing ): ^ads(\\d+");
}

// Somebody else's bytes go to the user's terminal.
TEST(Content, WhatIsToldHasNoControlCharacters) {
  const Source source = list(SourceKind::file_list, "/x");
  Taken taken;
  const Findings found = read_list(
      source, as_byte_view("a\x1b[31m.test\n" + std::string(400, 'x') + "..test\n"), taken);
  ASSERT_EQ(found.faults.size(), 2U);
  for (const EntryFault& fault : found.faults) {
    const std::string told = to_text(fault, "x");
    EXPECT_LT(told.size(), 300U);
    EXPECT_TRUE(
        std::ranges::none_of(told, [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  }
}

TEST(Content, AnInlineEntryIsTheTextAsItStands) {
  Source source = list(SourceKind::inline_list, "");
  source.content = join_entries({"+.a.test", "# b.test", "two\nlines.test", "", "c.test"});
  Taken taken;
  const Findings found = read_list(source, as_byte_view(source.content), taken);
  EXPECT_EQ(taken.entries, (Strings{"suffix a.test", "exact c.test"}));
  Strings places;
  for (const EntryFault& fault : found.faults)
    places.push_back(to_text(fault, "payload").substr(0, 11));
  EXPECT_EQ(places, (Strings{"payload[1]:", "payload[2]:", "payload[3]:"}));
}

TEST(Content, NothingButCommentsIsAnEmptySet) {
  const Source source = list(SourceKind::file_list, "/x");
  EXPECT_EQ(judge(source, as_byte_view("# a.test\n// b.test\n")).refusal, "");
  EXPECT_EQ(judge(source, {}).refusal, "");
}

TEST(Content, NothingUsableIsRefusedWithTheFirstReason) {
  const Source source = list(SourceKind::http_list, "/x");
  EXPECT_EQ(judge(source, as_byte_view("# list\na..test\nb/c\n")).refusal,
            "has no usable entry (line 2: \"a..test\": has an empty label)");
}

std::string refusal(Source source, const std::string& content) {
  return judge(source, as_byte_view(content)).refusal;
}

TEST(Content, WhatIsBrokenAsAWholeIsRefused) {
  using enum SourceKind;
  const Source yaml = list(http_list, "/x", Format::yaml);
  EXPECT_EQ(refusal(yaml, "proxies: []\n"),
            "has no list under `payload:`; for a list with one entry a line write `format: text`");
  EXPECT_EQ(refusal(list(http_list, "/x", Format::mrs, Behavior::ipcidr), golden("domain.mrs")),
            "holds rules of another behavior (at byte 4)");
  EXPECT_NE(refusal(list(http_list, "/x", Format::hosts, Behavior::ipcidr), "0.0.0.0 a.test"), "");
  const std::string page = "<!DOCTYPE html><html></html>";
  for (const SourceKind kind : {geosite, geoip_dat, country_mmdb, asn_mmdb}) {
    EXPECT_NE(refusal(geo_source(kind, "/x"), page), "");
    EXPECT_NE(refusal(geo_source(kind, "/x"), ""), "");
  }
  // One database in place of the other.
  EXPECT_NE(refusal(geo_source(asn_mmdb, "/x"), golden("country.mmdb")), "");
  EXPECT_NE(refusal(geo_source(country_mmdb, "/x"), golden("asn4.mmdb")), "");
}

// A captive portal answers every download, and "<html>" would pass for a name.
TEST(Content, APlainListReadAsYamlSaysWhatToWrite) {
  const Source source = list(SourceKind::http_list, "/x", Format::yaml);
  EXPECT_EQ(judge(source, as_byte_view("a.test\nb.test\n")).refusal,
            "has no list under `payload:`; for a list with one entry a line write `format: text`");
}

TEST(Content, AWebPageIsNoList) {
  const std::string page = "\xef\xbb\xbf\n <html>\n<body>sign in</body>\n";
  for (const Format format : {Format::text, Format::adguard, Format::hosts})
    EXPECT_EQ(refusal(list(SourceKind::http_list, "/x", format), page),
              "is a web page, not a list");
  EXPECT_NE(refusal(list(SourceKind::http_list, "/x", Format::yaml), page), "");
}

TEST(Content, LargerThanTheLimitIsRefused) {
  Source source = list(SourceKind::http_list, "/x");
  source.most = 8;
  EXPECT_EQ(refusal(source, "a.test\nb.test\n"), "is larger than the limit of 8 bytes");
}

TEST(Content, AZipBombStopsAtTheBound) {
  const std::vector<std::byte> zeros(std::size_t{65} << 20U);
  const auto bomb = ruleformats::pack_zstd(zeros);
  ASSERT_TRUE(bomb);
  ASSERT_LT(bomb->size(), std::size_t{64} << 10U);
  const Source source = list(SourceKind::http_list, "/x", Format::mrs);
  EXPECT_TRUE(judge(source, *bomb).refusal.starts_with("unpacks to more than a rule file may"));
}

}  // namespace
}  // namespace sluice::sets
