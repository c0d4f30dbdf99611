#include "dataplane/flow/use_order.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace sluice::flow {
namespace {

struct Item : UseOrder::Member {
  explicit Item(int v) : value(v) {}
  int value;
};

/// Ends the oldest again and again.
std::vector<int> drain(UseOrder& order, std::vector<std::unique_ptr<Item>>& items) {
  std::vector<int> out;
  while (order.oldest() != nullptr) {
    const auto* oldest = static_cast<Item*>(order.oldest());
    out.push_back(oldest->value);
    std::erase_if(items, [oldest](const auto& item) { return item.get() == oldest; });
  }
  return out;
}

TEST(UseOrder, OldestIsWhoWasNotTouchedForLongest) {
  UseOrder order;
  EXPECT_EQ(order.oldest(), nullptr);
  std::vector<std::unique_ptr<Item>> items;
  for (int i = 0; i < 5; ++i) order.touch(*items.emplace_back(std::make_unique<Item>(i)));
  order.touch(*items[0]);  // the oldest
  order.touch(*items[3]);  // one in between
  order.touch(*items[3]);  // the newest
  EXPECT_EQ(drain(order, items), (std::vector<int>{1, 2, 4, 0, 3}));
}

TEST(UseOrder, WhoeverDiesLeaves) {
  UseOrder order;
  std::vector<std::unique_ptr<Item>> items;
  for (int i = 0; i < 4; ++i) order.touch(*items.emplace_back(std::make_unique<Item>(i)));
  items.erase(items.begin() + 3);
  items.erase(items.begin() + 1);
  order.touch(*items[0]);
  EXPECT_EQ(drain(order, items), (std::vector<int>{2, 0}));
}

TEST(UseOrder, AMemberMovesToAnotherOrderOrLeaves) {
  UseOrder one;
  UseOrder other;
  std::vector<std::unique_ptr<Item>> items;
  for (int i = 0; i < 3; ++i) one.touch(*items.emplace_back(std::make_unique<Item>(i)));
  other.touch(*items[1]);
  one.remove(*items[1]);  // is not there
  one.remove(*items[2]);
  EXPECT_EQ(drain(other, items), std::vector<int>{1});
  EXPECT_EQ(drain(one, items), std::vector<int>{0});
}

}  // namespace
}  // namespace sluice::flow
