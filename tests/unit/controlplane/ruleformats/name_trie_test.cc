#include "controlplane/ruleformats/name_trie.h"

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

std::string words(const std::vector<std::uint64_t>& in) {
  Bytes out;
  for (const std::uint64_t word : in) out.u64(word);
  return out.str();
}

std::string labels(const NameTrieBuilder::Parts& parts) {
  return std::string(as_text(parts.labels));
}

Outcome<NameTrie> open(std::uint64_t leaves, std::uint64_t bitmap, std::string_view names) {
  static std::string first;
  static std::string second;
  first = words({leaves});
  second = words({bitmap});
  return NameTrie::open(as_byte_view(first), as_byte_view(second), as_byte_view(names), 5);
}

// The picture of the header, bit by bit.
TEST(NameTrie, BuildsThePictureOfItsHeader) {
  NameTrieBuilder builder;
  for (const char* name : {"b.x", "a.x", "b.x"}) builder.add(name);
  const auto parts = builder.finish();
  EXPECT_EQ(labels(parts), "x.ab");
  EXPECT_EQ(parts.leaves, std::vector<std::uint64_t>{0b11000});
  EXPECT_EQ(parts.bitmap, std::vector<std::uint64_t>{0b111001010});
}

TEST(NameTrie, GivesBackTheNamesInReadingOrder) {
  const Strings names = {"a",
                         "ab",
                         "a.test",
                         "www.a.test",
                         "b\xc3\xbc\xe2\x82\xac.test",
                         "+.co",
                         std::string(200, 'x')};
  NameTrieBuilder builder;
  for (const auto& name : names) builder.add(name);
  const auto parts = builder.finish();
  const std::string leaves = words(parts.leaves);
  const std::string bitmap = words(parts.bitmap);
  const auto trie = NameTrie::open(as_byte_view(leaves), as_byte_view(bitmap), parts.labels, 0);
  ASSERT_TRUE(trie);
  Strings got;
  std::string key;
  for (NameTrie::Node node = 0; node < trie->node_count(); ++node) {
    if (!trie->is_leaf(node)) continue;
    ASSERT_TRUE(trie->key(node, key));
    got.push_back(key);
  }
  EXPECT_EQ(got.size(), names.size());
  for (const auto& name : names) EXPECT_NE(std::ranges::find(got, name), got.end()) << name;
}

TEST(NameTrie, KeysPastTheLimitAreNotTold) {
  NameTrieBuilder builder;
  builder.add(std::string(NameTrie::kMaxKey + 1, 'x'));
  const auto parts = builder.finish();
  const std::string leaves = words(parts.leaves);
  const std::string bitmap = words(parts.bitmap);
  const auto trie = NameTrie::open(as_byte_view(leaves), as_byte_view(bitmap), parts.labels, 0);
  ASSERT_TRUE(trie);
  std::string key;
  EXPECT_FALSE(trie->key(NameTrie::kMaxKey + 1, key));
  EXPECT_TRUE(trie->key(NameTrie::kMaxKey, key));
}

TEST(NameTrie, RefusesLinksThatMakeNoTree) {
  // Node 0 closes at once, node 1 would be its own parent.
  EXPECT_EQ(open(0, 0b101, "a").error(),
            (Refusal{Errc::malformed, 5, "holds a trie whose links make no tree"}));
  // More children than labels, fewer than labels, no end of the last node.
  EXPECT_FALSE(open(0, 0b1100, "a"));
  EXPECT_FALSE(open(0, 0b1110, "ab"));
  EXPECT_FALSE(open(0, 0b010, "a"));
  EXPECT_EQ(open(0b100, 0b110, "a").error().reason, "holds a trie with a name past its nodes");
  EXPECT_TRUE(open(0b10, 0b110, "a"));
  EXPECT_EQ(NameTrie::open({}, {}, as_byte_view("a"), 0).error().reason,
            "holds a trie with too few links");
}

}  // namespace
}  // namespace sluice::ruleformats
