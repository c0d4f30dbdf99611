#include "ui/cli/own_programs.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(OwnPrograms, ABuildTreesOwnComesBeforeAnInstalledOne) {
  const auto expect_places = [](const OwnProgram& program, const std::string& in_tree) {
    const std::string name = program.name;
    EXPECT_EQ(places_of(program, "/b/ui/cli"),
              (std::vector<std::string>{"/b/ui/cli/../../" + in_tree, "/b/ui/cli/" + name,
                                        "/b/ui/cli/../libexec/sluice/" + name}));
  };
  expect_places(kControlPlane, "controlplane/app/sluice-controlplane");
  expect_places(kNftHelper, "dataplane/helper/sluice-nft");
  expect_places(kSupervisor, "ui/supervisor/sluice-supervisor");
}

TEST(OwnPrograms, AMissingOneIsNamedWithThePlaces) {
  const auto found = find_program({"no-such-program", "nowhere"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::refused);
  EXPECT_TRUE(found.error().text.starts_with("no-such-program is missing (looked for /"))
      << found.error().text;
  EXPECT_NE(found.error().text.find("/../../nowhere/no-such-program, "), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
