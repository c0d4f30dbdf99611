// Sets out of lists and geo files, and the key of the block that they make.
#include "controlplane/ruleset/set_reader.h"

#include <unistd.h>

#include "controlplane/ruleset/bounds.h"
#include "tests/unit/controlplane/ruleset/rig.h"

namespace sluice::sets {
namespace {

using compile::SetKind;
using compile::SetRef;

/// A home directory with every geo file, from tests/golden.
class Home {
 public:
  Home() : shelf_(shelf_at(scratch)) {
    scratch.put("GeoSite.dat", golden("geosite.dat"));
    scratch.put("GeoIP.dat", golden("geoip.dat"));
    scratch.put("country.mmdb", golden("country.mmdb"));
    scratch.put("ASN.mmdb", golden("asn4.mmdb"));
  }
  [[nodiscard]] std::vector<Source> sources(SourceKind country = SourceKind::country_mmdb) const {
    const bool dat = country == SourceKind::geoip_dat;
    return {geo_source(SourceKind::geosite, scratch.path("GeoSite.dat")),
            geo_source(country, scratch.path(dat ? "GeoIP.dat" : "country.mmdb")),
            geo_source(SourceKind::asn_mmdb, scratch.path("ASN.mmdb"))};
  }
  [[nodiscard]] SetReader reader(SourceKind country = SourceKind::country_mmdb) {
    return SetReader(shelf_, sources(country));
  }
  [[nodiscard]] Shelf& shelf() { return shelf_; }

  test::Scratch scratch;

 private:
  Shelf shelf_;
};

struct Got {
  Strings entries;
  bool inverse;
};
Got read(SetReader& reader, SetKind kind, const std::string& name) {
  Taken taken;
  const compile::SetTraits traits = reader.read({kind, name}, taken);
  return {taken.sorted(), traits.inverse};
}

Strings sentences(const SetReader& reader) {
  Strings out;
  for (const SetProblem& problem : reader.problems()) out.push_back(problem.sentence);
  return out;
}

TEST(SetReader, FindsCategoriesCountriesAndNetworks) {
  Home home;
  SetReader reader = home.reader();
  EXPECT_EQ(read(reader, SetKind::geosite, "sample@ads").entries,
            Strings{"suffix ads.sample.test"});
  EXPECT_EQ(read(reader, SetKind::geosite, "geo-!cn@cn").entries, Strings{"suffix geo1.test"});
  EXPECT_EQ(read(reader, SetKind::geoip, "us").entries, Strings{"198.51.100.0/25"});
  EXPECT_EQ(read(reader, SetKind::asn, "13335").entries,
            (Strings{"10.1.0.0/16", "203.0.113.0/24"}));
  EXPECT_EQ(sentences(reader), Strings{});
}

TEST(SetReader, AnExclamationMarkTurnsASetRound) {
  Home home;
  SetReader mmdb = home.reader();
  EXPECT_FALSE(read(mmdb, SetKind::geoip, "us").inverse);
  EXPECT_TRUE(read(mmdb, SetKind::geoip, "!us").inverse);
  EXPECT_TRUE(read(mmdb, SetKind::geosite, "!sample").inverse);
  SetReader dat = home.reader(SourceKind::geoip_dat);
  EXPECT_TRUE(read(dat, SetKind::geoip, "!cn").inverse);
  EXPECT_TRUE(read(dat, SetKind::geoip, "notus").inverse);  // the file says so
  EXPECT_FALSE(read(dat, SetKind::geoip, "!notus").inverse);
}

// A misspelt `!` set must not match everything.
TEST(SetReader, WhatIsUnknownMatchesNothingAndIsTold) {
  Home home;
  SetReader reader = home.reader();
  for (const auto& [kind, name] : {std::pair{SetKind::geosite, "!sampel"},
                                   {SetKind::geosite, "sample@none"},
                                   {SetKind::geoip, "!xx"},
                                   {SetKind::asn, "64512"}}) {
    const Got got = read(reader, kind, name);
    EXPECT_EQ(got.entries, Strings{}) << name;
    EXPECT_FALSE(got.inverse) << name;
  }
  const std::string at = home.scratch.path();
  EXPECT_EQ(
      sentences(reader),
      (Strings{
          "GEOSITE,!sampel: " + at +
              "/GeoSite.dat has no category \"sampel\"; did you mean `sample`?",
          "GEOSITE,sample@none: " + at +
              "/GeoSite.dat has no entry in category \"sample\" with @none; it matches nothing",
          "GEOIP,!xx: " + at + "/country.mmdb has no country \"xx\"; it matches nothing",
          "IP-ASN,64512: " + at + "/ASN.mmdb has no prefixes of AS64512; it matches nothing"}));
  for (const SetProblem& problem : reader.problems()) EXPECT_TRUE(problem.of_content);
  SetReader dat = home.reader(SourceKind::geoip_dat);
  EXPECT_FALSE(read(dat, SetKind::geoip, "!xx").inverse);
  EXPECT_EQ(sentences(dat).size(), 1U);
}

TEST(SetReader, WithoutAFileASetIsEmptyAndTold) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  SetReader reader(shelf, {list(SourceKind::http_list, scratch.path("ads.txt"))});
  EXPECT_EQ(read(reader, SetKind::provider, "ads").entries, Strings{});
  EXPECT_EQ(read(reader, SetKind::geoip, "!us").inverse, false);
  EXPECT_EQ(reader.digest_of({SetKind::provider, "ads"}), contract::Digest{});
  EXPECT_EQ(sentences(reader),
            (Strings{"RULE-SET,ads: there is no " + scratch.path("ads.txt") +
                         "; it matches nothing until there is",
                     "GEOIP,!us: there is no file to read it from; it matches nothing"}));
  for (const SetProblem& problem : reader.problems()) EXPECT_FALSE(problem.of_content);
}

TEST(SetReader, FormerContentIsUsedAndTold) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::file_list, scratch.put("own.txt", "a.test\n"));
  ASSERT_EQ(shelf.accept(source, as_byte_view("a.test\n")).error, "");
  scratch.put("own.txt", "..\n");
  SetReader reader(shelf, {source});
  EXPECT_EQ(read(reader, SetKind::provider, "ads").entries, Strings{"exact a.test"});
  ASSERT_EQ(reader.problems().size(), 1U);
  EXPECT_TRUE(reader.problems()[0].sentence.ends_with("; its former content is used"));
}

TEST(SetReader, EntriesThatAreLeftOutAreToldWithTheirPlace) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  std::string text = "a.test\n..\n";
  const std::string path = scratch.put("own.txt", text);
  const Source source = list(SourceKind::file_list, path);
  const auto told = [&] {
    SetReader reader(shelf, {source});
    EXPECT_EQ(read(reader, SetKind::provider, "ads").entries, Strings{"exact a.test"});
    for (const SetProblem& problem : reader.problems()) EXPECT_TRUE(problem.of_content);
    return sentences(reader);
  };
  EXPECT_EQ(told().size(), 1U);
  const Strings again = told();
  ASSERT_EQ(again.size(), 1U) << "a content that is known already";
  EXPECT_TRUE(again[0].starts_with("left out: " + path + ":2")) << again[0];
  for (std::size_t i = 0; i < 2 * kToldFaults; ++i) text += "..\n";
  scratch.put("own.txt", text);
  const Strings many = told();
  ASSERT_EQ(many.size(), kToldFaults + 1);
  EXPECT_EQ(many.back(), "left out: 11 entries in all");
}

TEST(SetReader, AFormerContentOfAnotherFormatIsNotPromised) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  Source source = list(SourceKind::file_list, scratch.put("own.txt", "a.test\n"));
  ASSERT_EQ(shelf.accept(source, as_byte_view("a.test\n")).error, "");
  source.format = ruleformats::Format::mrs;
  EXPECT_EQ(shelf.look(source).problem.find("former"), std::string::npos);
  EXPECT_EQ(shelf.load(source).problem, shelf.look(source).problem);
}

// Each geo file is read once, whatever becomes of it meanwhile.
TEST(SetReader, AGeoFileStaysUntilItIsReleased) {
  Home home;
  SetReader reader = home.reader();
  EXPECT_EQ(read(reader, SetKind::geosite, "geo-!cn@cn").entries.size(), 1U);
  ASSERT_EQ(::unlink(home.scratch.path("GeoSite.dat").c_str()), 0);
  EXPECT_EQ(read(reader, SetKind::geosite, "sample@ads").entries.size(), 1U);
  reader.release();
  EXPECT_EQ(read(reader, SetKind::geosite, "sample@ads").entries.size(), 0U);
}

const contract::Digest kRules = contract::digest_of(as_byte_view("rules"));
const contract::Digest kZones{};

TEST(BlockKey, ChangesWithWhateverTheBlockIsMadeOf) {
  Home home;
  const Source ads = list(SourceKind::http_list, home.scratch.put("ads.txt", "a.test\n"));
  std::vector<Source> sources = home.sources();
  sources.push_back(ads);
  const std::vector<SetRef> sets = {{SetKind::provider, "ads"}, {SetKind::geosite, "sample"}};
  const auto key_of = [&](const contract::Digest& rules, const std::vector<SetRef>& refs,
                          const contract::Digest& zones) {
    return SetReader(home.shelf(), sources).block_key(rules, refs, zones);
  };
  const contract::Digest first = key_of(kRules, sets, kZones);
  EXPECT_EQ(key_of(kRules, sets, kZones), first);
  EXPECT_NE(key_of(kZones, sets, kZones), first);
  EXPECT_NE(key_of(kRules, sets, kRules), first);
  EXPECT_NE(key_of(kRules, {sets[0]}, kZones), first);
  EXPECT_NE(key_of(kRules, {sets[0], {SetKind::geosite, "sample@ads"}}, kZones), first);
  // A geo file that no set is from does not matter.
  home.scratch.put("ASN.mmdb", golden("ipinfo.mmdb"));
  EXPECT_EQ(key_of(kRules, sets, kZones), first);
  home.scratch.put("ads.txt", "b.test\n");
  const contract::Digest second = key_of(kRules, sets, kZones);
  EXPECT_NE(second, first);
  sources.back().format = Format::hosts;
  EXPECT_NE(key_of(kRules, sets, kZones), second);
}

// A line of a classical list may name any geo set.
TEST(BlockKey, OfClassicalListsCoversAllGeoFiles) {
  Home home;
  std::vector<Source> sources = home.sources();
  sources.push_back(list(SourceKind::http_list, home.scratch.put("ads.txt", "GEOIP,CN\n"),
                         Format::text, Behavior::classical));
  const std::vector<SetRef> sets = {{SetKind::provider, "ads"}};
  const auto key = [&] { return SetReader(home.shelf(), sources).block_key(kRules, sets, kZones); };
  const contract::Digest first = key();
  home.scratch.put("ASN.mmdb", golden("ipinfo.mmdb"));
  EXPECT_NE(key(), first);
}

// The file changed between the key and the reading: what is compiled is not stored under the key of
// what it is not.
TEST(BlockKey, TellsAfterwardsWhatWasRead) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  const std::vector<SetRef> sets = {{SetKind::provider, "ads"}};
  SetReader reader(shelf, {source});
  const contract::Digest before = reader.block_key(kRules, sets, kZones);
  scratch.put("ads.txt", "b.test\n");
  EXPECT_EQ(reader.block_key(kRules, sets, kZones), before);
  EXPECT_EQ(read(reader, SetKind::provider, "ads").entries, Strings{"exact b.test"});
  EXPECT_NE(reader.block_key(kRules, sets, kZones), before);
}

TEST(BlockKey, NeedsNoReadingAfterARestart) {
  const test::Scratch scratch;
  const Source source = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  const std::vector<SetRef> sets = {{SetKind::provider, "ads"}};
  contract::Digest before;
  {
    Shelf shelf = shelf_at(scratch);
    before = SetReader(shelf, {source}).block_key(kRules, sets, kZones);
  }
  swap_content(source.path, "b.test\n");
  Shelf shelf = shelf_at(scratch);
  EXPECT_EQ(SetReader(shelf, {source}).block_key(kRules, sets, kZones), before);
}

}  // namespace
}  // namespace sluice::sets
