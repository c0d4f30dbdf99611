#include "dataplane/helper/set_elements.h"

#include <gtest/gtest.h>

namespace sluice::nft {
namespace {

/// "first-end" as the kernel stores a prefix; "first-" when nothing follows the last address.
std::string interval(const char* text) {
  const Prefix prefix = Prefix::parse(text).value();
  std::array<Element, 2> ends;
  const std::size_t count = interval_of(prefix, ends);
  const auto show = [](const Element& element) {
    return IpAddress::from_bytes(ByteView(element.key).first(element.size)).to_string();
  };
  EXPECT_FALSE(ends[0].interval_end);
  if (count == 2) {
    EXPECT_TRUE(ends[1].interval_end);
  }
  return show(ends[0]) + "-" + (count == 2 ? show(ends[1]) : "");
}

TEST(IntervalOf, EndsOnePastTheLastAddress) {
  EXPECT_EQ(interval("10.0.0.0/8"), "10.0.0.0-11.0.0.0");
  EXPECT_EQ(interval("10.255.0.0/16"), "10.255.0.0-11.0.0.0");
  EXPECT_EQ(interval("192.0.2.7/32"), "192.0.2.7-192.0.2.8");
  EXPECT_EQ(interval("192.0.2.255/32"), "192.0.2.255-192.0.3.0");
  EXPECT_EQ(interval("128.0.0.0/2"), "128.0.0.0-192.0.0.0");
  EXPECT_EQ(interval("fc00::/7"), "fc00::-fe00::");
  EXPECT_EQ(interval("2001:db8::ffff/128"), "2001:db8::ffff-2001:db8::1:0");
}

TEST(IntervalOf, HasNoEndWhereTheAddressesEnd) {
  EXPECT_EQ(interval("240.0.0.0/4"), "240.0.0.0-");
  EXPECT_EQ(interval("255.255.255.255/32"), "255.255.255.255-");
  EXPECT_EQ(interval("0.0.0.0/0"), "0.0.0.0-");
  EXPECT_EQ(interval("ff00::/8"), "ff00::-");
}

}  // namespace
}  // namespace sluice::nft
