#include "ui/cli/check_at_home.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(CheckAtHome, ABuildTreesOwnControlPlaneComesBeforeAnInstalledOne) {
  EXPECT_EQ(control_plane_places("/b/ui/cli"),
            (std::vector<std::string>{"/b/ui/cli/../../controlplane/app/sluice-controlplane",
                                      "/b/ui/cli/sluice-controlplane",
                                      "/b/ui/cli/../libexec/sluice/sluice-controlplane"}));
}

TEST(CheckAtHome, AMissingControlPlaneIsNamedWithThePlaces) {
  const auto found = check_at_home("rules: []\n", "c.yaml", "/h");  // none beside a test program
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::refused);
  EXPECT_NE(found.error().text.find("libexec/sluice/sluice-controlplane"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
