#include "proto/common/name.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Name, NormalFormIsLowerCaseWithoutOneTrailingDot) {
  EXPECT_EQ(*normalize_name("WWW.Example.TEST."), "www.example.test");
  EXPECT_EQ(*normalize_name("_srv._tcp.a-b.test"), "_srv._tcp.a-b.test");
  EXPECT_FALSE(normalize_name("a.test.."));
}

TEST(Name, RefusesBytesAndLengthsThatNoNameHas) {
  EXPECT_FALSE(normalize_name(""));
  EXPECT_FALSE(normalize_name("."));
  EXPECT_FALSE(normalize_name("a..b"));
  EXPECT_FALSE(normalize_name("a b.test"));
  EXPECT_FALSE(normalize_name("a:b.test"));
  EXPECT_FALSE(normalize_name("a=b.test"));
  EXPECT_FALSE(normalize_name("a\x98.test"));
  EXPECT_FALSE(normalize_name(std::string_view("a\0b.test", 8)));
  EXPECT_TRUE(normalize_name(std::string(63, 'a') + ".test"));
  EXPECT_FALSE(normalize_name(std::string(64, 'a') + ".test"));
  std::string longest;
  while (longest.size() + 2 <= kMaxName) longest += "a.";
  longest.pop_back();
  EXPECT_TRUE(normalize_name(longest));
  EXPECT_FALSE(normalize_name(longest + ".bb"));
}

TEST(Destination, DomainFieldMayHoldALiteral) {
  EXPECT_EQ(Destination::from_host("192.0.2.1", 80)->ip, *IpAddress::parse("192.0.2.1"));
  EXPECT_EQ(Destination::from_host("[2001:db8::1]", 80)->to_string(), "[2001:db8::1]:80");
  EXPECT_EQ(Destination::from_host("Example.test.", 80)->name, "example.test");
  EXPECT_FALSE(Destination::from_host("", 80));
}

}  // namespace
}  // namespace sluice
