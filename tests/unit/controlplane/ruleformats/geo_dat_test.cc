#include "controlplane/ruleformats/geo_dat.h"

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

Strings geosite(const std::string& file, std::string_view rule) {
  Recorder got;
  const auto reference = GeoReference::parse(rule);
  EXPECT_TRUE(reference);
  const auto category = find_category(as_byte_view(file), reference->category, {});
  EXPECT_TRUE(category) << rule;
  const auto tally = read_geosite(*category, reference->attributes, {}, got);
  EXPECT_TRUE(tally);
  EXPECT_EQ(tally->entries, got.entries.size());
  EXPECT_EQ(got.faults, Strings{});
  return got.entries;
}

// A field of type 2.
std::string field(unsigned number, const std::string& content) {
  return std::string{static_cast<char>(number << 3U | 2U), static_cast<char>(content.size())} +
         content;
}

// B034: `name@attr` takes only entries with the attribute, `!` in a name is literal, names ignore
// case, an unknown category is told.
TEST(GeoSite, B034CategoriesAndAttributes) {
  const std::string file = golden_file("cases/B034.dat");
  EXPECT_EQ(geosite(file, "sample@cn"),
            (Strings{"suffix cn.sample.test", "regex ^rx[0-9]+\\.sample\\.test$"}));
  EXPECT_EQ(geosite(file, "Sample"),
            (Strings{"suffix cn.sample.test", "suffix ads.sample.test", "exact plain.sample.test",
                     "keyword kwsample", "regex ^rx[0-9]+\\.sample\\.test$"}));
  EXPECT_EQ(geosite(file, "geo-!cn@cn"), Strings{"suffix geo1.test"});
  EXPECT_EQ(find_category(as_byte_view(file), "nowhere", {}).error(),
            (Refusal{Errc::not_found, 0, "has no such category"}));
}

TEST(GeoSite, ReadsWhatProtobufWrites) {
  const std::string file = golden("geosite.dat");
  EXPECT_EQ(geosite(file, "sample@ads"), Strings{"suffix ads.sample.test"});
  EXPECT_EQ(geosite(file, "sample@cn@ADS"), Strings{"suffix ads.sample.test"});
  EXPECT_EQ(geosite(file, "sample@cn").size(), 3U);
  EXPECT_EQ(geosite(file, "sample@none"), Strings{});
  EXPECT_EQ(geosite(file, "geo-!cn@cn"), Strings{"suffix geo1.test"});
  EXPECT_EQ(geosite(file, "empty"), Strings{});
  Strings codes;
  GeoCategories categories(as_byte_view(file));
  for (GeoCategory category; categories.next(category);) codes.emplace_back(category.code);
  EXPECT_EQ(codes, (Strings{"SAMPLE", "GEO-!CN", "EMPTY"}));
  EXPECT_FALSE(categories.failed());
}

TEST(GeoIp, ReadsWhatProtobufWrites) {
  const std::string file = golden("geoip.dat");
  Recorder got;
  const auto cn = read_geoip(*find_category(as_byte_view(file), "cn", {}), {}, got);
  ASSERT_TRUE(cn);
  EXPECT_FALSE(cn->inverse);
  EXPECT_EQ(cn->tally, (Tally{4, 0}));
  EXPECT_EQ(got.entries, (Strings{"10.1.0.0/16", "192.0.2.7/32", "2001:db8::/32", "0.0.0.0/0"}));
  Recorder inverse;
  const auto other = read_geoip(*find_category(as_byte_view(file), "notus", {}), {}, inverse);
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->inverse);
  EXPECT_EQ(inverse.entries, Strings{"198.51.100.0/24"});
}

TEST(GeoIp, ImpossiblePrefixesCostOnlyThemselves) {
  const std::string v4 = field(1, std::string("\x0a\x01\x02\x03", 4));
  const std::string mapped = field(1, std::string(10, '\0') + "\xff\xff\x0a\x01\x02\x03");
  const std::string file =
      field(1, field(1, "X") + field(2, v4 + "\x10\x21") + field(2, field(1, "abc") + "\x10\x08") +
                   field(2, v4 + "\x10\x10") + field(2, mapped + "\x10\x78") +
                   field(2, mapped + "\x10\x60") + field(2, std::string("\x0a\x09", 2)));
  Recorder got;
  const auto tally = read_geoip(*find_category(as_byte_view(file), "x", {}), {}, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(got.entries, (Strings{"10.1.0.0/16", "10.1.2.0/24"}));
  EXPECT_EQ(got.faults,
            (Strings{"0:0:  is not an address or prefix", "0:0:  is not an address or prefix",
                     "0:0:  covers the IPv4-mapped addresses, which are matched as IPv4",
                     "0:0:  is not an address or prefix"}));
}

TEST(GeoSite, UnknownKindsAndBrokenNamesAreFaults) {
  const std::string file =
      field(1, field(1, "X") + field(2, "\x08\x09" + field(2, "a.test")) +
                   field(2, "\x08\x03" + field(2, "a b")) + field(2, field(2, "Kw")) +
                   field(9, "unknown fields are stepped over") + "\x50\x05" +
                   field(2, std::string("\x12\x7f", 2)));
  Recorder got;
  const auto tally = read_geosite(*find_category(as_byte_view(file), "x", {}), {}, {}, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(got.entries, Strings{"keyword kw"});
  EXPECT_EQ(got.faults, (Strings{"0:0: a.test is of a kind that no geosite file has",
                                 "0:0: a b has a character that no name has",
                                 "0:0:  is not made of protobuf fields"}));
}

// A category ends where its length says; a shorter file is found out at the latest when the last
// category is looked for.
TEST(GeoDat, EveryPrefixIsTruncatedOrHoldsFewerCategories) {
  const std::string file = golden("geosite.dat");
  std::size_t whole = 0;
  for (std::size_t cut = 0; cut < file.size(); ++cut) {
    GeoCategories categories(as_byte_view(file).first(cut));
    std::size_t end = 0;
    for (GeoCategory category; categories.next(category);)
      end = static_cast<std::size_t>(category.offset) + category.entry.size();
    EXPECT_EQ(categories.failed(), end != cut) << cut;
    if (categories.failed()) {
      EXPECT_EQ(categories.refusal().code, Errc::truncated) << cut;
    } else {
      ++whole;
    }
  }
  EXPECT_EQ(whole, 3U);  // after nothing, after SAMPLE and after GEO-!CN
}

TEST(GeoDat, HostileBytesAreRefused) {
  const Bounds small{.input_bytes = 3};
  EXPECT_EQ(find_category(as_byte_view("<html>"), "x", small).error().code, Errc::too_large);
  for (const std::string_view text :
       {std::string_view("<html><body>502</body></html>"), std::string_view("\x0b\x01", 2),
        std::string_view("\x00\x01", 2),
        std::string_view("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11),
        std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11)})
    EXPECT_EQ(find_category(as_byte_view(text), "x", {}).error().code, Errc::malformed) << text;
  EXPECT_EQ(find_category(
                as_byte_view(std::string_view("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)),
                "x", {})
                .error()
                .code,
            Errc::truncated);
}

TEST(GeoReference, PartsOfARule) {
  const auto plain = GeoReference::parse(" geo-!cn @ cn@ads");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->inverse);
  EXPECT_EQ(plain->category, "geo-!cn");
  EXPECT_EQ(plain->attributes, (std::vector<std::string_view>{"cn", "ads"}));
  EXPECT_TRUE(GeoReference::parse("!cn")->inverse);
  EXPECT_EQ(GeoReference::parse("!cn")->category, "cn");
  for (const char* text : {"", "!", "@cn", "cn@", "cn@@ads"})
    EXPECT_FALSE(GeoReference::parse(text)) << text;
}

}  // namespace
}  // namespace sluice::ruleformats
