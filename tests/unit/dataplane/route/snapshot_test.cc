#include "dataplane/route/snapshot.h"

#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::route {
namespace {

TEST(Snapshot, FindsByName) {
  const auto built = test::build(test::base());
  ASSERT_TRUE(built);
  const Snapshot& s = **built;
  EXPECT_EQ(s.find_outbound("proxy"), 5U);
  EXPECT_EQ(s.find_outbound("Proxy"), std::nullopt);
  EXPECT_EQ(s.find_listener("DEFAULT-MIXED"), &s.manifest().listeners[0]);
  EXPECT_EQ(s.find_listener(""), nullptr);
  EXPECT_EQ(s.generation(), 1U);
}

TEST(Snapshot, SelectChangesTheChainAtOnce) {
  const auto built = test::build(test::base());
  const Snapshot& s = **built;
  const auto chain = [&s] {
    const auto route = s.resolve(7, Network::tcp);
    return std::vector<std::uint32_t>(route.chain().begin(), route.chain().end());
  };
  EXPECT_EQ(chain(), (std::vector<std::uint32_t>{5, 6, 7}));
  ASSERT_TRUE(s.select("group", "DIRECT"));
  EXPECT_EQ(chain(), (std::vector<std::uint32_t>{0, 6, 7}));
  ASSERT_TRUE(s.select(7, 1));
  EXPECT_EQ(chain(), (std::vector<std::uint32_t>{3, 7}));
  EXPECT_EQ(s.choice(7), 1U);
}

TEST(Snapshot, SelectRefusesWhatIsNoChoice) {
  const auto built = test::build(test::base());
  const Snapshot& s = **built;
  EXPECT_EQ(s.select(6, 2).error().code, Errc::invalid);
  EXPECT_EQ(s.select(0, 0).error().code, Errc::invalid);
  EXPECT_EQ(s.select(99, 0).error().code, Errc::invalid);
  EXPECT_EQ(s.select("nobody", "DIRECT").error().code, Errc::not_found);
  EXPECT_EQ(s.select("group", "outer").error().code, Errc::not_found);
  EXPECT_EQ(s.choice(6), 0U);
}

TEST(Snapshot, ResolveSaysWhyALeafIsRefused) {
  const auto built = test::build(test::base());
  const Snapshot& s = **built;
  EXPECT_EQ(s.resolve(5, Network::udp).refused, Refused::none);
  EXPECT_EQ(s.resolve(3, Network::tcp).refused, Refused::none);
  EXPECT_EQ(s.resolve(3, Network::udp).refused, Refused::no_udp);
  EXPECT_EQ(s.resolve(4, Network::tcp).refused, Refused::not_built);
  EXPECT_EQ(s.resolve(2, Network::tcp).refused, Refused::pass);
  ASSERT_TRUE(s.select("outer", "unbuilt"));
  EXPECT_EQ(s.resolve(8, Network::tcp).refused, Refused::not_built);
  EXPECT_EQ(s.resolve(8, Network::tcp).leaf, 4U);
}

TEST(Snapshot, AGroupWithoutUdpHidesThatOfItsMembers) {
  auto applied = test::base();
  applied.manifest.outbounds[6].udp = false;
  const auto built = test::build(applied);
  EXPECT_EQ((*built)->resolve(7, Network::udp).refused, Refused::no_udp);
  EXPECT_EQ((*built)->resolve(7, Network::tcp).refused, Refused::none);
}

// Members move, groups come and go: the name decides, never the position.
// Its sockets close a moment after the new snapshot is in force.
TEST(Snapshot, AListenerThatLeavesIsKnownForOneMoreGeneration) {
  auto first = test::base();
  first.manifest.listeners = {test::listener("leaves", "127.0.0.1", 7000),
                              test::listener("bound", "127.0.0.1", 7001),
                              test::listener("stranded", "127.0.0.1", 7002)};
  first.manifest.listeners[1].outbound = 5;  // proxy
  first.manifest.listeners[2].outbound = 4;  // unbuilt
  const auto before = test::build(std::move(first));
  ASSERT_TRUE(before);
  auto second = test::base();
  second.manifest.outbounds[4].name = "another";
  for (auto& listener : second.manifest.listeners) listener.outbound.reset();
  const auto after = test::build(std::move(second), before->get());
  ASSERT_TRUE(after);
  const contract::Listener* leaves = (*after)->find_listener("leaves");
  ASSERT_NE(leaves, nullptr);
  EXPECT_EQ(leaves->port, 7000);
  ASSERT_NE((*after)->find_listener("bound"), nullptr);
  EXPECT_EQ((*after)->find_listener("bound")->outbound, 5U);
  EXPECT_EQ((*after)->find_listener("stranded"), nullptr) << "its outbound is gone";
  const auto third = test::build(test::base(), after->get());
  EXPECT_EQ((*third)->find_listener("leaves"), nullptr);
}

TEST(Snapshot, ChoicesAreCarriedOverByName) {
  const auto first = test::build(test::base());
  ASSERT_TRUE((*first)->select("group", "DIRECT"));
  ASSERT_TRUE((*first)->select("outer", "tcp-only"));
  ASSERT_TRUE((*first)->select("GLOBAL", "DIRECT"));

  auto applied = test::base();
  auto& list = applied.manifest.outbounds;
  list.insert(list.begin() + 2, test::outbound("new", test::OutboundKind::direct, "Direct"));
  list[7] = test::group("group", {2, 6, 0});  // DIRECT is now third
  list[8] = test::group("outer", {7, 3, 5});  // tcp-only is gone
  list[9] = test::group("GLOBAL", {8, 0});
  list[8].initial_choice = 2;
  applied.manifest.global = 9;
  const auto second = test::build(applied, first->get());
  ASSERT_TRUE(second) << second.error().place;
  const Snapshot& s = **second;
  EXPECT_EQ(s.outbound(list[7].members[s.choice(7)]).name, "DIRECT");
  EXPECT_EQ(s.choice(7), 2U);
  EXPECT_EQ(list[8].members[1], 3U);
  EXPECT_EQ(s.choice(9), 1U);
}

TEST(Snapshot, AMemberThatIsGoneLeavesTheInitialChoice) {
  const auto first = test::build(test::base());
  ASSERT_TRUE((*first)->select("outer", "tcp-only"));
  auto applied = test::base();
  applied.manifest.outbounds[7].members = {6, 2, 4};
  applied.manifest.outbounds[7].initial_choice = 2;
  const auto second = test::build(applied, first->get());
  EXPECT_EQ((*second)->choice(7), 2U);
}

}  // namespace
}  // namespace sluice::route
