#include "controlplane/config/tree_builder.h"

#include <gtest/gtest.h>

namespace sluice::config {
namespace {

using model::Node;

// [[[…]]]: one level more than allowed stops, and says so once.
TEST(TreeBuilder, StopsAtTheDepthBound) {
  TreeBuilder builder("f", {.bytes = 100, .nodes = 100, .depth = 3});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(builder.begin(Node::Kind::sequence, {1, 1}, {}));
  EXPECT_FALSE(builder.begin(Node::Kind::sequence, {1, 4}, {}));
  const auto diagnostics = builder.take_diagnostics();
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics[0].to_text(),
            "f:1:4: [0][0][0]: nested deeper than 3 levels; flatten the file");
}

// An alias counts as many nodes as it stands for: &a [x, x] is 3, twice *a adds 6.
TEST(TreeBuilder, CountsAliasesInFull) {
  for (const std::uint64_t bound : {10U, 11U}) {
    TreeBuilder builder("f", {.bytes = 100, .nodes = bound, .depth = 9});
    ASSERT_TRUE(builder.begin(Node::Kind::sequence, {1, 1}, {}));
    ASSERT_TRUE(builder.begin(Node::Kind::sequence, {1, 2}, "a"));
    ASSERT_TRUE(builder.scalar("x", false, {1, 3}, {}));
    ASSERT_TRUE(builder.scalar("x", false, {1, 4}, {}));
    ASSERT_TRUE(builder.end());
    ASSERT_TRUE(builder.alias("a", {2, 1}));
    ASSERT_TRUE(builder.alias("a", {2, 2}));
    ASSERT_TRUE(builder.scalar("y", false, {2, 3}, {}));
    EXPECT_EQ(builder.end(), bound >= 11);  // 3 + 3 + 3 + 1 and the list itself
  }
}

TEST(TreeBuilder, CountsTheHeightOfAnAlias) {
  TreeBuilder builder("f", {.bytes = 100, .nodes = 100, .depth = 3});
  ASSERT_TRUE(builder.begin(Node::Kind::sequence, {1, 1}, {}));
  ASSERT_TRUE(builder.begin(Node::Kind::sequence, {1, 2}, "a"));
  ASSERT_TRUE(builder.begin(Node::Kind::sequence, {1, 3}, {}));
  ASSERT_TRUE(builder.end());
  ASSERT_TRUE(builder.end());
  ASSERT_TRUE(builder.alias("a", {2, 1}));  // levels 2 and 3
  ASSERT_TRUE(builder.begin(Node::Kind::sequence, {3, 1}, {}));
  EXPECT_FALSE(builder.alias("a", {3, 2}));  // levels 3 and 4
}

TEST(TreeBuilder, AnAliasSharesItsNode) {
  TreeBuilder builder("f", {});
  ASSERT_TRUE(builder.begin(Node::Kind::sequence, {1, 1}, {}));
  ASSERT_TRUE(builder.scalar("x", false, {1, 3}, "a"));
  ASSERT_TRUE(builder.alias("a", {2, 1}));
  ASSERT_TRUE(builder.end());
  const model::Document document = builder.take_document();
  ASSERT_EQ(document.root()->items.size(), 2U);
  EXPECT_EQ(document.root()->items[0], document.root()->items[1]);
}

}  // namespace
}  // namespace sluice::config
