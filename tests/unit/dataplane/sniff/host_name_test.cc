#include "dataplane/sniff/host_name.h"

#include <gtest/gtest.h>

namespace sluice::sniff {
namespace {

TEST(HostName, TakesNamesInNormalForm) {
  HostName name;
  EXPECT_TRUE(name.assign("WWW.Example.org."));
  EXPECT_EQ(name.text(), "www.example.org");
  EXPECT_TRUE(name.assign("_a-b.4test"));
  EXPECT_EQ(name.text(), "_a-b.4test");
  const std::string label(63, 'x');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'y');
  EXPECT_TRUE(name.assign(longest + "."));
  EXPECT_EQ(name.text(), longest);
}

TEST(HostName, RefusesWhatIsNoNameAndIsEmptyThen) {
  HostName name;
  for (const std::string& bad :
       {std::string(), std::string("."), std::string("a..b"), std::string("192.0.2.1"),
        std::string("1"), std::string("a.1"), std::string("::1"), std::string("a b"),
        std::string("a\0b", 3), std::string("a/b"), std::string(64, 'x'), std::string(254, 'a'),
        std::string("\xc3\xbc.test")}) {
    ASSERT_TRUE(name.assign("before.test"));
    EXPECT_FALSE(name.assign(bad)) << bad;
    EXPECT_TRUE(name.empty()) << bad;
  }
}

TEST(HostName, AuthorityMayHaveAUserAndAPort) {
  HostName name;
  for (const std::string_view good :
       {"a.test", "a.test:", "a.test:80", "u@a.test", "u:p@a.test:80"}) {
    EXPECT_TRUE(name.assign_authority(good)) << good;
    EXPECT_EQ(name.text(), "a.test") << good;
  }
  for (const std::string_view bad :
       {"", ":80", "a.test:x", "a.test:65536", "[::1]", "[::1]:80", "@"}) {
    EXPECT_FALSE(name.assign_authority(bad)) << bad;
    EXPECT_TRUE(name.empty()) << bad;
  }
}

}  // namespace
}  // namespace sluice::sniff
