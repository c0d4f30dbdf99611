#include "proto/common/address.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace sluice {
namespace {

TEST(IpAddress, ParsesBothFamiliesAndPrintsThemBack) {
  for (const char* text :
       {"0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1", "2001:db8::1", "fe80::1"}) {
    const auto ip = IpAddress::parse(text);
    ASSERT_TRUE(ip) << text;
    EXPECT_EQ(ip->to_string(), text);
  }
}

TEST(IpAddress, RefusesWhatIsNotAnAddress) {
  for (const char* text : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "fe80::1%eth0", "name",
                           "1:2:3:4:5:6:7:8:9"})
    EXPECT_FALSE(IpAddress::parse(text)) << text;
}

TEST(IpAddress, MappedFormIsV4Everywhere) {
  const auto mapped = IpAddress::parse("::ffff:192.0.2.1");
  ASSERT_TRUE(mapped);
  EXPECT_EQ(*mapped, *IpAddress::parse("192.0.2.1"));
  EXPECT_EQ(mapped->v4_value(), 0xc0000201U);
  EXPECT_EQ(IpAddress::from_bytes(mapped->mapped()), *mapped);
}

TEST(Endpoint, GoesThroughSockaddrUnchanged) {
  for (const char* text : {"127.0.0.1:80", "[2001:db8::1]:65535", "0.0.0.0:0"}) {
    const auto e = Endpoint::parse(text);
    ASSERT_TRUE(e) << text;
    for (const bool as_v6 : {false, true}) {
      sockaddr_storage raw{};
      ASSERT_GT(e->to_sockaddr(raw, as_v6), 0U);
      EXPECT_EQ(Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&raw)), *e) << text;
    }
    EXPECT_EQ(e->to_string(), text);
  }
  EXPECT_FALSE(Endpoint::parse("127.0.0.1"));
  EXPECT_FALSE(Endpoint::parse("127.0.0.1:65536"));
  EXPECT_FALSE(Endpoint::parse("::1:80"));
}

TEST(Prefix, MasksHostBitsAndAcceptsBareAddresses) {
  EXPECT_EQ(Prefix::parse("10.10.1.0/20")->to_string(), "10.10.0.0/20");
  EXPECT_EQ(Prefix::parse(" 192.0.2.7 ")->to_string(), "192.0.2.7/32");
  EXPECT_EQ(Prefix::parse("2001:DB8:0::/32")->to_string(), "2001:db8::/32");
  EXPECT_EQ(Prefix::parse("::/0")->to_string(), "::/0");
  EXPECT_FALSE(Prefix::parse("10.0.0.0/33"));
  EXPECT_FALSE(Prefix::parse("10.0.0.0/"));
  EXPECT_FALSE(Prefix::parse("10.0.0.0/-1"));
}

TEST(Prefix, ContainsItsRangeAndOnlyItsFamily) {
  const auto p = Prefix::parse("10.10.0.0/20");
  EXPECT_TRUE(p->contains(*IpAddress::parse("10.10.15.9")));
  EXPECT_FALSE(p->contains(*IpAddress::parse("10.10.16.1")));
  EXPECT_TRUE(Prefix::parse("0.0.0.0/0")->contains(*IpAddress::parse("1.2.3.4")));
  EXPECT_FALSE(Prefix::parse("::/0")->contains(*IpAddress::parse("1.2.3.4")));
}

TEST(Prefix, WholeMappedSpaceIsRefusedSoThatItMatchesNothing) {
  EXPECT_EQ(Prefix::parse("::ffff:0:0/96").error().code, Errc::unsupported);
  EXPECT_EQ(Prefix::parse("::ffff:192.0.2.0/120")->to_string(), "192.0.2.0/24");
}

}  // namespace
}  // namespace sluice
