#include "dataplane/worker/grant.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Grant, WithoutALimitEverythingPasses) {
  Grant grant;
  EXPECT_EQ(grant.take(1U << 30U), 1U << 30U);
  grant.put_back(5);
  EXPECT_EQ(grant.take(SIZE_MAX), SIZE_MAX);
}

TEST(Grant, LeaseIsUsedUpAndWhatWasNotNeededGoesBack) {
  Grant grant;
  grant.renew(100);
  EXPECT_EQ(grant.take(60), 60U);
  EXPECT_EQ(grant.take(60), 40U);
  EXPECT_EQ(grant.take(1), 0U);
  grant.put_back(15);
  EXPECT_EQ(grant.take(60), 15U);
}

TEST(Grant, RenewalReplacesAndLiftingEndsTheLimit) {
  Grant grant;
  grant.renew(100);
  grant.renew(10);
  EXPECT_EQ(grant.take(60), 10U);
  grant.lift();
  EXPECT_EQ(grant.take(60), 60U);
}

}  // namespace
}  // namespace sluice
