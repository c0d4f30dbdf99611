#include "dataplane/worker/pinned.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice {
namespace {

struct Generation {
  int number = 0;
};

class Released final : public SnapshotOwner {
 public:
  void on_released(const void* snapshot, unsigned worker) noexcept override {
    numbers.push_back(static_cast<const Generation*>(snapshot)->number);
    workers.push_back(worker);
  }
  std::vector<int> numbers;
  std::vector<unsigned> workers;
};

using Pin = Pinned<Generation>;
using Numbers = std::vector<int>;

class SnapshotSlotTest : public ::testing::Test {
 protected:
  Released owner;
  Generation one{1};
  Generation two{2};
  Generation three{3};
};

TEST_F(SnapshotSlotTest, NothingIsCurrentAtFirstAndAPinOfNothingIsEmpty) {
  SnapshotSlot slot(owner, 7);
  EXPECT_EQ(slot.current(), nullptr);
  EXPECT_FALSE(Pin(slot));
  slot.publish(nullptr);
  EXPECT_TRUE(owner.numbers.empty());
}

TEST_F(SnapshotSlotTest, FormerIsReleasedAtOnceWhenNobodyPinsIt) {
  SnapshotSlot slot(owner, 7);
  slot.publish(&one);
  EXPECT_EQ(slot.current(), &one);
  EXPECT_TRUE(owner.numbers.empty());
  slot.publish(&two);
  EXPECT_EQ(owner.numbers, (Numbers{1}));
  EXPECT_EQ(owner.workers, (std::vector<unsigned>{7}));
}

TEST_F(SnapshotSlotTest, PinnedOneStaysUntilItsLastPinGoes) {
  SnapshotSlot slot(owner, 0);
  slot.publish(&one);
  Pin first(slot);
  Pin second(slot);
  slot.publish(&two);
  slot.publish(&three);
  EXPECT_EQ(owner.numbers, (Numbers{2})) << "nobody waited on it";
  EXPECT_EQ(first->number, 1);
  EXPECT_EQ(Pin(slot)->number, 3) << "who comes now gets the new one";
  first.reset();
  EXPECT_EQ(owner.numbers, (Numbers{2}));
  EXPECT_EQ((*second).number, 1);
  second.reset();
  second.reset();
  EXPECT_EQ(owner.numbers, (Numbers{2, 1}));
}

TEST_F(SnapshotSlotTest, PinOfTheCurrentOneReleasesNothing) {
  SnapshotSlot slot(owner, 0);
  slot.publish(&one);
  {
    const Pin pin(slot);
  }
  EXPECT_TRUE(owner.numbers.empty());
  EXPECT_EQ(slot.current(), &one);
}

TEST_F(SnapshotSlotTest, MovedPinIsOnePin) {
  SnapshotSlot slot(owner, 0);
  slot.publish(&one);
  Pin from(slot);
  Pin to(std::move(from));
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): what it is afterwards is the question
  EXPECT_EQ(to.get(), &one);
  slot.publish(&two);
  Pin other(slot);
  other = std::move(to);
  EXPECT_TRUE(owner.numbers.empty());
  EXPECT_EQ(other.get(), &one);
  other = Pin();
  EXPECT_EQ(owner.numbers, (Numbers{1}));
}

TEST_F(SnapshotSlotTest, SamePublishedTwiceIsReleasedTwice) {
  SnapshotSlot slot(owner, 0);
  slot.publish(&one);
  const Pin pin(slot);
  slot.publish(&one);
  EXPECT_TRUE(owner.numbers.empty());
  slot.publish(nullptr);
  EXPECT_EQ(owner.numbers, (Numbers{1})) << "the second time; the pin holds the first";
}

TEST_F(SnapshotSlotTest, DyingSlotReleasesTheCurrentOne) {
  {
    SnapshotSlot slot(owner, 0);
    slot.publish(&one);
  }
  EXPECT_EQ(owner.numbers, (Numbers{1}));
}

}  // namespace
}  // namespace sluice
