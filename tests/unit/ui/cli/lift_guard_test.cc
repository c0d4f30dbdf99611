#include "ui/cli/lift_guard.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(LiftGuard, ABuildTreesOwnHelperComesBeforeAnInstalledOne) {
  EXPECT_EQ(
      helper_places("/b/ui/cli"),
      (std::vector<std::string>{"/b/ui/cli/../../dataplane/helper/sluice-nft",
                                "/b/ui/cli/sluice-nft", "/b/ui/cli/../libexec/sluice/sluice-nft"}));
}

TEST(LiftGuard, AMissingHelperIsNamedWithThePlaces) {
  const auto lifted = lift_guard();  // beside a test program there is none
  ASSERT_FALSE(lifted.has_value());
  EXPECT_EQ(lifted.error().code, ExitCode::refused);
  EXPECT_NE(lifted.error().text.find("libexec/sluice/sluice-nft"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
