#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

constexpr std::string_view kProxies =
    "proxies: [{name: a, type: direct}, {name: b, type: direct}, {name: v, type: vmess}]\n";

Config with_groups(std::string_view groups) {
  return loaded(std::string(kProxies) + "proxy-groups:\n" + std::string(groups));
}
std::string said_of_groups(std::string_view groups) {
  return said(std::string(kProxies) + "proxy-groups:\n" + std::string(groups));
}

TEST(LoadGroups, ReadsASelectGroup) {
  const Config config = with_groups(
      "  - {name: G, type: select, proxies: [a, DIRECT, b], default-selected: b, disable-udp: "
      "true, "
      "hidden: true, icon: i.png}\n"
      "  - {name: H, type: select, proxies: [G, a]}\n");
  const Group& g = config.groups[0];
  EXPECT_EQ(g.type_name, "Selector");
  EXPECT_FALSE(g.acts_as_select);
  EXPECT_EQ(g.members, (std::vector<std::string>{"a", "DIRECT", "b"}));
  EXPECT_EQ(g.initial, "b");
  EXPECT_FALSE(g.udp);
  EXPECT_TRUE(g.hidden);
  EXPECT_EQ(g.icon, "i.png");
  EXPECT_EQ(config.groups[1].initial, "G");
}

TEST(LoadGroups, ASelectGroupKeepsItsFirstMemberEvenIfThatIsNotBuilt) {
  EXPECT_EQ(with_groups("  - {name: G, type: select, proxies: [v, a]}\n").groups[0].initial, "v");
}

TEST(LoadGroups, ATypeThatIsNotBuiltBeginsWithItsFirstBuiltMember) {
  const Config config = with_groups(
      "  - {name: G, type: url-test, proxies: [v, Inner, b, a]}\n"
      "  - {name: Inner, type: fallback, proxies: [v]}\n"
      "  - {name: Outer, type: load-balance, proxies: [Inner, S, G]}\n"
      "  - {name: S, type: select, proxies: [v, a]}\n");
  EXPECT_EQ(config.find_group("G")->initial, "b");
  EXPECT_EQ(config.find_group("G")->type_name, "URLTest");
  EXPECT_TRUE(config.find_group("G")->acts_as_select);
  EXPECT_EQ(config.find_group("Inner")->initial, "");   // refuses flows
  EXPECT_EQ(config.find_group("Outer")->initial, "G");  // S begins with v, which is not built
}

TEST(LoadGroups, SaysWhatATypeThatIsNotBuiltDoes) {
  const std::string out = said_of_groups(
      "  - {name: G, type: url-test, proxies: [v, b]}\n"
      "  - {name: H, type: fallback, proxies: [v]}\n"
      "  - {name: R, type: relay, proxies: [a, b]}\n");
  EXPECT_NE(
      out.find("W f.yaml:3:21: proxy-groups[0].type: URLTest is known, not built yet; the group "
               "acts as select and begins with \"b\"\n"),
      std::string::npos)
      << out;
  EXPECT_NE(
      out.find("W f.yaml:4:21: proxy-groups[1].type: Fallback is known, not built yet; flows to "
               "it are refused: none of its members is built\n"),
      std::string::npos);
  // A relay is a chain: going through one hop of it only would not be what was asked for.
  EXPECT_NE(out.find("W f.yaml:5:21: proxy-groups[2].type: Relay groups are no longer supported"),
            std::string::npos);
  const Config relay = with_groups("  - {name: R, type: relay, proxies: [a, b]}\n");
  EXPECT_TRUE(relay.groups[0].members.empty());
  EXPECT_EQ(relay.groups[0].initial, "");
}

TEST(LoadGroups, AnUnknownMemberIsNamedWithItsGroup) {
  EXPECT_NE(
      said_of_groups("  - {name: G, type: select, proxies: [a, DIRECTT, GLOBAL]}\n")
          .find("E f.yaml:3:42: proxy-groups[0].proxies[1]: group \"G\" has a member \"DIRECTT\" "
                "that does not exist; did you mean `DIRECT`?\n"
                "E f.yaml:3:51: proxy-groups[0].proxies[2]: group \"G\" has a member \"GLOBAL\" "
                "that does not exist; "),
      std::string::npos);
  EXPECT_NE(said_of_groups("  - {name: G, type: select, proxies: [a], default-selected: b}\n")
                .find("\"b\" is not a member of group \"G\""),
            std::string::npos);
}

TEST(LoadGroups, AMemberTwiceCountsOnce) {
  const Config config = with_groups("  - {name: G, type: select, proxies: [a, b, a]}\n");
  EXPECT_EQ(config.groups[0].members, (std::vector<std::string>{"a", "b"}));
}

TEST(LoadGroups, CyclesAreRefusedWithTheirPath) {
  EXPECT_NE(
      said_of_groups("  - {name: A, type: select, proxies: [a, B]}\n"
                     "  - {name: B, type: select, proxies: [C]}\n"
                     "  - {name: C, type: select, proxies: [B]}\n")
          .find("E f.yaml:4:12: proxy-groups[1].name: groups contain each other: B -> C -> B; take "
                "one of them out of the other\n"),
      std::string::npos);
  EXPECT_NE(said_of_groups("  - {name: A, type: select, proxies: [A]}\n")
                .find("groups contain each other: A -> A"),
            std::string::npos);
  // A diamond is no cycle.
  with_groups(
      "  - {name: T, type: select, proxies: [L, R]}\n"
      "  - {name: L, type: select, proxies: [B]}\n"
      "  - {name: R, type: select, proxies: [B]}\n"
      "  - {name: B, type: select, proxies: [a]}\n");
}

TEST(LoadGroups, LongChainsAreWalkedWithoutRecursion) {
  std::string groups;
  for (int i = 0; i < 20'000; ++i)
    groups += "  - {name: g" + std::to_string(i) + ", type: select, proxies: [" +
              (i + 1 < 20'000 ? "g" + std::to_string(i + 1) : "DIRECT") + "]}\n";
  EXPECT_EQ(loaded("proxy-groups:\n" + groups).groups.size(), 20'000U);
}

TEST(LoadGroups, AGroupWithoutMembersRefusesOrIsAnError) {
  const Config config = with_groups("  - {name: G, type: select, use: [p]}\n");
  EXPECT_EQ(config.groups[0].initial, "");
  EXPECT_NE(said_of_groups("  - {name: G, type: select}\n").find("group \"G\" has no members"),
            std::string::npos);
  EXPECT_NE(
      said_of_groups("  - {name: G, type: selct, proxies: [a]}\n").find("did you mean `select`?"),
      std::string::npos);
  EXPECT_NE(
      said_of_groups("  - {name: REJECT, type: select, proxies: [a]}\n").find("built-in name"),
      std::string::npos);
}

TEST(LoadGroups, TheUserMayDefineGlobal) {
  const Config config = with_groups(
      "  - {name: GLOBAL, type: select, proxies: [a]}\n  - {name: G, type: select, proxies: "
      "[GLOBAL]}\n");
  EXPECT_EQ(config.groups[1].members, std::vector<std::string>{"GLOBAL"});
}

}  // namespace
}  // namespace sluice::model
