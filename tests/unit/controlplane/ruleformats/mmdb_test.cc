#include "controlplane/ruleformats/mmdb.h"

#include "controlplane/ruleformats/geo_mmdb.h"
#include "tests/unit/controlplane/ruleformats/mmdb_builder.h"

namespace sluice::ruleformats {
namespace {

constexpr std::size_t kMax = std::size_t{1} << 20;
using Builder = MmdbBuilder;

Strings country(const std::string& file, std::string_view code) {
  Recorder got;
  const auto mmdb = Mmdb::open(as_byte_view(file), kMax);
  EXPECT_TRUE(mmdb) << mmdb.error().reason;
  EXPECT_TRUE(read_mmdb_country(*mmdb, code, {}, got));
  return got.entries;
}

Strings asn(const std::string& file, std::uint32_t number) {
  Recorder got;
  const auto mmdb = Mmdb::open(as_byte_view(file), kMax);
  EXPECT_TRUE(mmdb) << mmdb.error().reason;
  EXPECT_TRUE(read_mmdb_asn(*mmdb, number, {}, got));
  return got.entries;
}

Strings codes_at(const std::string& file, std::string_view address) {
  const auto mmdb = Mmdb::open(as_byte_view(file), kMax);
  MmdbBudget budget = mmdb->walk_budget();
  Strings out;
  for (const auto code : record_codes(*mmdb, mmdb->find(*IpAddress::parse(address)), budget))
    out.emplace_back(code);
  return out;
}

// The files of tests/golden/ruleformats come from mmdb_writer; maxminddb reads the same from them.
TEST(Mmdb, CountriesOfEveryKindOfFile) {
  EXPECT_EQ(country(golden("country.mmdb"), "cn"),
            (Strings{"10.1.0.0/16", "192.0.2.7/32", "2001:db8::/32"}));
  EXPECT_EQ(country(golden("country.mmdb"), "US"), Strings{"198.51.100.0/25"});
  EXPECT_EQ(country(golden("country.mmdb"), "de"), Strings{});
  EXPECT_EQ(country(golden("meta.metadb"), "cn"),
            (Strings{"10.1.0.0/16", "192.0.2.0/24", "2001:db8::/48"}));
  EXPECT_EQ(country(golden("meta.metadb"), "CloudFlare"),
            (Strings{"192.0.2.0/24", "2001:db8::/48"}));
  EXPECT_EQ(country(golden("sing.mmdb"), "us"), Strings{"10.2.0.0/16"});
}

TEST(Mmdb, AutonomousSystemsOfEveryKindOfFile) {
  EXPECT_EQ(asn(golden("asn4.mmdb"), 13335), (Strings{"10.1.0.0/16", "203.0.113.0/24"}));
  EXPECT_EQ(asn(golden("asn4.mmdb"), 4'200'000'000), Strings{"10.2.0.0/16"});
  EXPECT_EQ(asn(golden("asn4.mmdb"), 0), Strings{});
  EXPECT_EQ(asn(golden("ipinfo.mmdb"), 13335), Strings{"10.1.0.0/16"});
}

TEST(Mmdb, SingleAddressesAndTheListOfCodes) {
  const std::string file = golden("meta.metadb");
  EXPECT_EQ(codes_at(file, "192.0.2.77"), (Strings{"cn", "cloudflare"}));
  EXPECT_EQ(codes_at(file, "10.1.2.3"), Strings{"cn"});
  EXPECT_EQ(codes_at(file, "2001:db8::1"), (Strings{"cn", "cloudflare"}));
  EXPECT_EQ(codes_at(file, "10.2.0.1"), Strings{});
  EXPECT_EQ(codes_at(golden("asn4.mmdb"), "2001:db8::1"), Strings{});
  const auto mmdb = Mmdb::open(as_byte_view(file), kMax);
  EXPECT_EQ(mmdb->type(), "Meta-geoip0");
  EXPECT_TRUE(mmdb->has_v6());
  EXPECT_EQ(*mmdb_country_codes(*mmdb), (Strings{"cloudflare", "cn"}));
}

class RecordSizes : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Bits, RecordSizes, testing::Values(24U, 28U, 32U));

TEST_P(RecordSizes, TreesOfEveryRecordSize) {
  Builder builder(6, GetParam(), "sing-geoip");
  const auto cn = builder.data(Builder::text("cn"));
  const auto us = builder.data(Builder::text("us"));
  builder.add("10.0.0.0/8", cn);
  builder.add("192.0.2.1/32", us);
  builder.add("2001:db8::1/128", cn);
  builder.add("8000::/1", us);
  const std::string file = builder.finish();
  EXPECT_EQ(country(file, "cn"), (Strings{"10.0.0.0/8", "2001:db8::1/128"}));
  EXPECT_EQ(country(file, "us"), (Strings{"192.0.2.1/32", "8000::/1"}));
}

TEST(Mmdb, AliasesOfIpv4AreToldOnce) {
  Builder builder(6, 28, "sing-geoip");
  const auto cn = builder.data(Builder::text("cn"));
  builder.add("10.0.0.0/8", cn);
  builder.add("::fffe:0:0/96", cn);  // makes the way to the mapped addresses
  builder.alias("2002::/16", "::/96");
  const std::string file = builder.finish();
  EXPECT_EQ(country(file, "cn"), (Strings{"10.0.0.0/8", "::fffe:0:0/96"}));
  EXPECT_EQ(codes_at(file, "2002:0a01::1"), Strings{"cn"});
}

TEST(Mmdb, PointersAreFollowedOnceAndNestedKeysToo) {
  Builder builder(4, 24, "GeoLite2-Country");
  const auto key = builder.data(Builder::text("iso_code"));
  const auto code = builder.data(Builder::text("CN"));
  const auto inner = builder.data(std::string("\xe1\x20", 2) + static_cast<char>(key) + '\x20' +
                                  static_cast<char>(code));
  const auto record = builder.data("\xe2" + Builder::text("names") + Builder::map("en", "\x40") +
                                   Builder::text("country") + '\x20' + static_cast<char>(inner));
  const auto chain = builder.data(std::string("\x20", 1) + static_cast<char>(record));
  const auto ring = builder.data(std::string("\x20", 1) + static_cast<char>(chain + 2));
  builder.add("10.0.0.0/8", record);
  builder.add("11.0.0.0/8", chain);
  builder.add("12.0.0.0/8", ring);
  EXPECT_EQ(country(builder.finish(), "cn"), (Strings{"10.0.0.0/8", "11.0.0.0/8"}));
}

TEST(Mmdb, RingsAndSharedPartsEndTheWalk) {
  for (const std::int64_t target : {0, 1}) {
    Builder builder(6, 24, "sing-geoip");
    builder.add("2001:db8::/32", builder.data(Builder::text("cn")));
    builder.loop("8000::/1", target);
    const std::string file = builder.finish();
    Recorder got;
    const auto tally = read_mmdb_country(*Mmdb::open(as_byte_view(file), kMax), "cn", {}, got);
    if (target == 1) continue;  // a part reached twice is only told twice
    ASSERT_FALSE(tally);
    EXPECT_EQ(tally.error().reason, "has a tree that leads in circles");
  }
  // Every node leads to the next one twice: 2^40 ways through 40 nodes.
  Builder builder(6, 24, "sing-geoip");
  builder.add("::/40", builder.data(Builder::text("cn")));
  for (int depth = 0; depth < 39; ++depth) {
    std::array<std::byte, 16> path{};
    path[static_cast<std::size_t>(depth / 8)] = static_cast<std::byte>(0x80U >> (depth % 8));
    builder.loop(
        Prefix::of(IpAddress::from_bytes(path), static_cast<unsigned>(depth) + 1).to_string(),
        depth + 1);
  }
  const std::string file = builder.finish();
  Recorder got;
  EXPECT_EQ(read_mmdb_country(*Mmdb::open(as_byte_view(file), kMax), "cn", {}, got).error().code,
            Errc::malformed);
}

TEST(Mmdb, RecordsThatBreakOffMatchNothing) {
  for (const std::string& data :
       {std::string("\x5f\xff\xff\xff", 4),                  // a text past the end
        std::string("\xff\xff\xff\xff", 4),                  // a map of 16 million pairs
        std::string("\x00\xff", 2), std::string("\x20", 1),  // a type that is none, half a pointer
        std::string("\xe1\x42"
                    "ab",
                    4)}) {
    Builder builder(4, 24, "GeoLite2-Country");
    builder.add("10.0.0.0/8", builder.data(data));
    builder.add("11.0.0.0/8", 5000);  // past the section
    EXPECT_EQ(country(builder.finish(), "cn"), Strings{});
  }
  // Maps in maps, 5000 deep: no stack, and no more than kMaxRecordValues looked at.
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += Builder::map("a", "");
  Builder builder(4, 24, "GeoLite2-Country");
  builder.add("10.0.0.0/8", builder.data("\xe2" + Builder::text("x") + deep));
  EXPECT_EQ(country(builder.finish(), "cn"), Strings{});
}

// Maps in maps: a record begins at each, and all overlap. Each alone is within kMaxRecordValues.
TEST(Mmdb, ManyLargeRecordsAreRefusedAsAWhole) {
  constexpr std::uint32_t kRecords = 512;
  Builder builder(4, 24, "GeoLite2-Country");
  std::string deep;
  for (std::uint32_t i = 0; i < kRecords + kMaxRecordValues; ++i) deep += Builder::map("a", "");
  const std::uint32_t place = builder.data(deep);
  const auto step = static_cast<std::uint32_t>(Builder::map("a", "").size());
  const auto prefix = [](std::uint32_t i) {
    return "10." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0/24";
  };
  for (std::uint32_t i = 0; i < kRecords; ++i) builder.add(prefix(i), place + i * step);
  const std::string file = builder.finish();
  const auto mmdb = Mmdb::open(as_byte_view(file), kMax);
  ASSERT_TRUE(mmdb);
  const auto refusal = [](const auto& read) { return read ? Refusal{} : read.error(); };
  const Refusal too_large{Errc::malformed, 0, "has records that are too large"};
  Recorder got;
  EXPECT_EQ(refusal(read_mmdb_country(*mmdb, "cn", {}, got)), too_large);
  EXPECT_EQ(refusal(read_mmdb_asn(*mmdb, 13335, {}, got)), too_large);
  EXPECT_EQ(refusal(mmdb_country_codes(*mmdb)), too_large);
}

TEST(Mmdb, ATextThatIsTooLongIsNoCode) {
  Builder builder(4, 24, "sing-geoip");
  const auto text = [](std::size_t size) {
    return std::string("\x5d", 1) + static_cast<char>(size - 29) + std::string(size, 'x');
  };
  builder.add("10.0.0.0/8", builder.data(text(kMaxCode_bytes)));
  builder.add("11.0.0.0/8", builder.data(text(kMaxCode_bytes + 1)));
  const std::string file = builder.finish();
  EXPECT_EQ(country(file, std::string(kMaxCode_bytes, 'x')), Strings{"10.0.0.0/8"});
  EXPECT_EQ(country(file, std::string(kMaxCode_bytes + 1, 'x')), Strings{});
  EXPECT_EQ(mmdb_country_codes(*Mmdb::open(as_byte_view(file), kMax))->size(), 1U);
}

// B136: ten bytes, an HTML page.
TEST(Mmdb, B136NotADatabase) {
  for (const std::string& file :
       {std::string("0123456789"), golden_file("cases/B136.mmdb"), std::string()})
    EXPECT_EQ(Mmdb::open(as_byte_view(file), kMax).error(),
              (Refusal{Errc::malformed, 0, "is not a MaxMind database"}));
  const std::string good = golden("sing.mmdb");
  EXPECT_EQ(Mmdb::open(as_byte_view(good), good.size() - 1).error().code, Errc::too_large);
}

TEST(Mmdb, EveryPrefixIsRefusedOrReadsWithinItself) {
  const std::string file = golden("country.mmdb");
  for (std::size_t cut = 0; cut < file.size(); ++cut) {
    const std::string part = file.substr(0, cut);
    const auto mmdb = Mmdb::open(as_byte_view(part), kMax);
    // The metadata ends the file, so only its own tail can be missing from one that opens.
    EXPECT_TRUE(!mmdb || cut > file.rfind("MaxMind.com")) << cut;
  }
  // A tree cut out of the middle makes the file too small for it.
  EXPECT_EQ(Mmdb::open(as_byte_view(file).subspan(file.size() - 300), kMax).error().reason,
            "has a tree that is larger than the file");
}

TEST(Mmdb, UnknownFormsAreUnsupported) {
  EXPECT_EQ(Mmdb::open(as_byte_view(Builder(4, 20, "x").finish()), kMax).error().code,
            Errc::unsupported);
  EXPECT_EQ(Mmdb::open(as_byte_view("\xab\xcd\xefMaxMind.com"), kMax).error().code,
            Errc::unsupported);
}

}  // namespace
}  // namespace sluice::ruleformats
