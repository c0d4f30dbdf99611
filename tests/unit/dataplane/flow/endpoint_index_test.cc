#include "dataplane/flow/endpoint_index.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace sluice::flow {
namespace {

struct Thing {
  Endpoint key;
};
struct KeyOfThing {
  const Endpoint& operator()(const Thing& thing) const noexcept { return thing.key; }
};
using Index = EndpointIndex<Thing, KeyOfThing>;

Endpoint v4(std::uint32_t host, std::uint16_t port) {
  return {IpAddress::v4(host), port};
}
Endpoint v6(std::uint32_t low, std::uint16_t port) {
  std::array<std::byte, 16> bytes{std::byte{0x20}, std::byte{1}};
  std::memcpy(bytes.data() + 12, &low, sizeof low);
  return {IpAddress::from_bytes(bytes), port};
}

TEST(EndpointIndex, TellsFamilyAddressAndPortApart) {
  Thing a{v4(1, 2)};
  Thing b{v4(2, 1)};
  Thing c{v6(1, 2)};
  Thing d{{{}, 2}};
  Index index;
  EXPECT_EQ(index.find(a.key), nullptr);
  for (Thing* thing : {&a, &b, &c, &d}) index.insert(*thing);
  for (Thing* thing : {&a, &b, &c, &d}) EXPECT_EQ(index.find(thing->key), thing);
  EXPECT_EQ(index.find(v4(1, 1)), nullptr);
  EXPECT_EQ(index.find(v6(2, 2)), nullptr);
  EXPECT_EQ(index.find({{}, 1}), nullptr);
}

TEST(EndpointIndex, OneThingComesAndGoes) {
  Thing a{v4(1, 2)};
  Index index;
  for (int i = 0; i < 3; ++i) {
    index.insert(a);
    EXPECT_EQ(index.find(a.key), &a);
    EXPECT_EQ(index.find(v4(1, 3)), nullptr);
    index.erase(a);
    EXPECT_EQ(index.find(a.key), nullptr);
    EXPECT_EQ(index.size(), 0U);
  }
}

// Against a map of the standard library, through growing, holes and shrinking.
TEST(EndpointIndex, AgreesWithAPlainMap) {
  std::mt19937 random(7);
  Index index;
  std::map<Endpoint, std::unique_ptr<Thing>> model;
  const auto check = [&] {
    ASSERT_EQ(index.size(), model.size());
    for (const auto& [key, thing] : model) ASSERT_EQ(index.find(key), thing.get());
    std::size_t seen = 0;
    index.for_each([&](Thing& thing) { seen += model.at(thing.key).get() == &thing ? 1U : 0U; });
    ASSERT_EQ(seen, model.size());
  };
  for (int step = 0; step < 20'000; ++step) {
    const bool grow = step % 10'000 < 5'000;
    const Endpoint key = random() % 2 == 0 ? v4(random() % 600, 7) : v6(random() % 600, 9);
    const auto at = model.find(key);
    if (at != model.end() && (!grow || random() % 4 == 0)) {
      index.erase(*at->second);
      model.erase(at);
    } else if (at == model.end() && (grow || random() % 8 == 0)) {
      index.insert(*model.emplace(key, std::make_unique<Thing>(Thing{key})).first->second);
    }
    ASSERT_EQ(index.find(key) != nullptr, model.contains(key));
    if (step % 1'000 == 0) check();
  }
  check();
}

}  // namespace
}  // namespace sluice::flow
