#include "controlplane/ruleformats/address_range.h"

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

Strings prefixes_of(std::string_view first, std::string_view last) {
  RangePrefixes prefixes({*IpAddress::parse(first), *IpAddress::parse(last)});
  Strings out;
  for (Prefix prefix; prefixes.next(prefix);) out.push_back(prefix.to_string());
  return out;
}

TEST(AddressRange, FewestPrefixesInOrder) {
  EXPECT_EQ(prefixes_of("10.0.0.0", "10.255.255.255"), Strings{"10.0.0.0/8"});
  EXPECT_EQ(prefixes_of("10.0.0.1", "10.0.0.6"),
            (Strings{"10.0.0.1/32", "10.0.0.2/31", "10.0.0.4/31", "10.0.0.6/32"}));
  EXPECT_EQ(prefixes_of("0.0.0.0", "255.255.255.255"), Strings{"0.0.0.0/0"});
  EXPECT_EQ(prefixes_of("::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), Strings{"::/0"});
  EXPECT_EQ(prefixes_of("2001:db8::", "2001:db8::1:ffff"), Strings{"2001:db8::/111"});
  EXPECT_EQ(prefixes_of("192.0.2.7", "192.0.2.7"), Strings{"192.0.2.7/32"});
  EXPECT_EQ(prefixes_of("0.0.0.1", "255.255.255.254").size(), 62U);
  EXPECT_EQ(prefixes_of("8000::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe").size(), 252U);
}

TEST(AddressRange, TurnedOrMixedRangesHaveNone) {
  EXPECT_FALSE(
      RangePrefixes({*IpAddress::parse("10.0.0.2"), *IpAddress::parse("10.0.0.1")}).valid());
  EXPECT_EQ(prefixes_of("10.0.0.2", "10.0.0.1"), Strings{});
  EXPECT_EQ(prefixes_of("10.0.0.2", "::1"), Strings{});
}

// The mapped addresses exist as IPv4 only; an IPv6 range that holds them goes on behind them.
TEST(AddressRange, StepsOverTheMappedAddresses) {
  const Strings got = prefixes_of("::fffe:ffff:ffff", "::1:0:0:1");
  EXPECT_EQ(got, (Strings{"::fffe:ffff:ffff/128", "::1:0:0:0/127"}));
}

TEST(AddressRange, MergeJoinsWhatTouchesOrOverlaps) {
  std::vector<Prefix> in;
  for (const char* text : {"::/1", "10.0.1.0/24", "10.0.0.0/24", "10.0.0.128/25", "10.0.3.0/24",
                           "255.255.255.255", "255.255.255.0/24", "8000::/1", "fe80::/10"})
    in.push_back(*Prefix::parse(text));
  const auto got = merge(in);
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(got[0].first.to_string() + "-" + got[0].last.to_string(), "10.0.0.0-10.0.1.255");
  EXPECT_EQ(got[1].first.to_string(), "10.0.3.0");
  EXPECT_EQ(got[2].first.to_string(), "255.255.255.0");
  EXPECT_EQ(got[3].first.to_string(), "::");
  EXPECT_EQ(got[3].last.to_string(), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

}  // namespace
}  // namespace sluice::ruleformats
