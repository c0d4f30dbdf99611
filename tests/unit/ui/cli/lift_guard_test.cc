#include "ui/cli/lift_guard.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(LiftGuard, AMissingHelperIsNamedWithThePlaces) {
  const auto lifted = lift_guard();  // beside a test program there is none
  ASSERT_FALSE(lifted.has_value());
  EXPECT_EQ(lifted.error().code, ExitCode::refused);
  EXPECT_NE(lifted.error().text.find("libexec/sluice/sluice-nft"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
