// Pipes that the kernel refuses: whose limit is reached is asked once a second, not each turn.
#include <gtest/gtest.h>

#include <cerrno>

#include "proto/runtime/net/pipe_pool.h"
#include "tests/unit/dataplane/flow/faults/plan.h"

namespace sluice {
namespace {

using fault::Call;

constexpr std::size_t kShare = std::size_t{8} << 20U;

Errc refusal_of(PipePool& pool) {
  const auto pipe = pool.take(PipeSize::small);
  return pipe ? Errc::none : pipe.error().code;
}

TEST(PipePoolFaults, WithoutDescriptorsOrPagesTheKernelIsAskedAgainAfterTheTrim) {
  const fault::Plan kPlans[] = {{.call = Call::pipe2, .error = EMFILE, .count = 100},
                                {.call = Call::pipe_pages, .error = EPERM, .count = 100}};
  for (const fault::Plan& plan : kPlans) {
    PipePool pool(kShare);
    fault::arm(plan);
    const fault::Inside inside;
    const Errc expected = plan.call == Call::pipe2 ? Errc::no_descriptors : Errc::no_room;
    EXPECT_EQ(refusal_of(pool), expected);
    EXPECT_EQ(refusal_of(pool), expected);
    EXPECT_EQ(fault::uses(), 1U);
    pool.trim(0);
    EXPECT_EQ(refusal_of(pool), expected);
    EXPECT_EQ(fault::uses(), 2U);
    fault::disarm();
    EXPECT_EQ(refusal_of(pool), expected) << "before the trim";
    pool.trim(0);
    EXPECT_EQ(refusal_of(pool), Errc::none);
  }
}

TEST(PipePoolFaults, APipeThatMayNotBeDeepStaysSmallAndNothingIsLost) {
  PipePool pool(kShare);
  fault::arm({.call = Call::pipe_size, .error = EPERM, .count = 100, .nth = 1});
  const fault::Inside inside;
  for (int i = 0; i < 3; ++i) {
    auto pipe = pool.take(PipeSize::deep);
    ASSERT_TRUE(pipe);
    EXPECT_EQ(pipe->capacity, PipePool::kSmallBytes);
    pool.give(std::move(*pipe));
  }
  EXPECT_EQ(fault::uses(), 2U) << "one to make it, one to deepen it";
  fault::disarm();
  pool.trim(1);
  auto deep = pool.take(PipeSize::deep);
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->capacity, PipePool::kDeepBytes);
  pool.drop(std::move(*deep));
  EXPECT_EQ(pool.held_bytes(), 0U);
}

}  // namespace
}  // namespace sluice
