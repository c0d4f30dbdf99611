#include <gtest/gtest.h>
#include <sys/uio.h>

#include <array>
#include <string>
#include <thread>

#include "proto/runtime/buffer/slice_queue.h"
#include "proto/runtime/loop/frame_pool.h"

namespace sluice {
namespace {

std::string text_of(SliceQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.peek(std::as_writable_bytes(std::span(out)));
  return out;
}

std::string pattern(std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>('a' + i % 26);
  return out;
}

class Buffers : public ::testing::Test {
 protected:
  MemoryBudget budget{64 * kBlockBytes};
  SlicePool pool{budget};
};

TEST_F(Buffers, SliceKeepsHeadroomDataAndTailroomApart) {
  auto slice = Slice::make(pool, 100);
  ASSERT_TRUE(slice);
  EXPECT_EQ(slice->append(as_byte_view("data")), 4U);
  std::memcpy(slice->push(2).data(), "<<", 2);
  EXPECT_EQ(as_text(slice->data()), "<<data");
  EXPECT_EQ(slice->headroom(), 98U);
  slice->drop_front(3);
  slice->drop_back(1);
  EXPECT_EQ(as_text(slice->data()), "at");
}

TEST_F(Buffers, SpentBudgetRefusesAndRecovers) {
  std::vector<Slice> held;
  for (;;) {
    auto slice = Slice::make(pool);
    if (!slice) {
      EXPECT_EQ(slice.error().code, Errc::no_room);
      break;
    }
    held.push_back(std::move(*slice));
  }
  EXPECT_EQ(held.size(), 64U);
  held.pop_back();
  EXPECT_TRUE(Slice::make(pool));
}

TEST_F(Buffers, TrimGivesBackWhatLayFreeSinceTheLastOne) {
  const auto hold = [&](int count) {
    std::vector<Slice> held;
    for (int i = 0; i < count; ++i) held.push_back(std::move(*Slice::make(pool)));
    return held;
  };
  (void)hold(32);
  pool.trim();
  EXPECT_EQ(pool.warm_count(), 32U) << "all were needed";
  (void)hold(5);
  pool.trim();
  EXPECT_EQ(pool.warm_count(), 5U) << "five were needed";
  EXPECT_EQ(budget.used(), 5 * kBlockBytes);
  pool.trim();
  EXPECT_EQ(pool.warm_count(), 0U) << "none was";
  EXPECT_EQ(budget.used(), 0U);
  const std::vector<Slice> again = hold(32);
  EXPECT_EQ(pool.used_count(), 32U);
}

TEST_F(Buffers, QueueKeepsOrderOverCopyConsumeAndAppend) {
  const std::string all = pattern(50000);
  SliceQueue queue;
  ASSERT_TRUE(queue.copy_in(pool, as_byte_view(all)));
  EXPECT_EQ(text_of(queue), all);
  queue.consume(20001);
  EXPECT_EQ(text_of(queue), all.substr(20001));
  SliceQueue more;
  ASSERT_TRUE(more.copy_in(pool, as_byte_view("tail")));
  queue.append(std::move(more));
  EXPECT_TRUE(more.empty());
  EXPECT_EQ(text_of(queue), all.substr(20001) + "tail");
  std::array<iovec, 8> parts{};
  std::size_t total = 0;
  const std::size_t count = queue.gather(parts.data(), parts.size());
  for (std::size_t i = 0; i < count; ++i) total += parts[i].iov_len;
  EXPECT_EQ(total, queue.size());
  queue.consume(queue.size());
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(pool.used_count(), 0U);
}

TEST_F(Buffers, PullUpJoinsOnlyWhatIsSplitAndLosesNothing) {
  for (const std::size_t piece : {1UL, 3UL, 100UL, 5000UL}) {
    const std::string all = pattern(12000);
    SliceQueue queue;
    for (std::size_t at = 0; at < all.size() && pool.used_count() < 60; at += piece) {
      auto slice = Slice::make(pool, at == 0 ? kBlockRoom - piece : kHeadroom);
      ASSERT_TRUE(slice);
      slice->append(as_byte_view(std::string_view(all).substr(at, piece)));
      queue.push_back(std::move(*slice));
    }
    const std::size_t size = queue.size();
    for (const std::size_t want : {std::size_t{1}, piece + 1, size / 2, size}) {
      if (want > size) continue;
      const auto head = queue.pull_up(want);
      ASSERT_TRUE(head) << piece << " " << want;
      EXPECT_EQ(as_text(*head), std::string_view(all).substr(0, want));
      EXPECT_EQ(queue.size(), size);
      EXPECT_EQ(text_of(queue), all.substr(0, size));
    }
    EXPECT_EQ(queue.pull_up(size + 1).error().code, Errc::truncated);
  }
}

TEST(FramePool, GivesSlabsBackWhenTheirObjectsAreFreed) {
  const std::size_t before = frame_pool::held();
  std::vector<void*> objects;
  for (int i = 0; i < 2000; ++i) {
    objects.push_back(frame_pool::allocate(700));
    std::memset(objects.back(), i & 0xff, 700);
  }
  for (void* object : objects) frame_pool::release(object, 700);
  EXPECT_LE(frame_pool::held(), before + 64 * 1024);
  frame_pool::trim();
  EXPECT_LE(frame_pool::held(), before);
}

TEST(FramePool, ItsThreadsBudgetKnowsItsSlabs) {
  MemoryBudget budget{1};  // what lives is never refused
  std::uint64_t while_held = 0;
  std::uint64_t after_trim = 0;
  std::thread([&] {
    frame_pool::charge_to(budget);
    void* object = frame_pool::allocate(700);
    while_held = budget.used();
    frame_pool::release(object, 700);
    frame_pool::trim();
    after_trim = budget.used();
    frame_pool::release(frame_pool::allocate(700), 700);
  }).join();
#if !defined(__SANITIZE_ADDRESS__)  // there every object is an allocation of its own
  EXPECT_GE(while_held, 700U);
#endif
  EXPECT_EQ(after_trim, 0U);
  EXPECT_EQ(budget.used(), 0U) << "a thread that ends leaves nothing";
}

}  // namespace
}  // namespace sluice
