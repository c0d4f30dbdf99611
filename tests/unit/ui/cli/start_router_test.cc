#include "ui/cli/start_router.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(StartRouter, PassesWhatTheUserGaveAndNothingElse) {
  Invocation in;
  in.file = "c.yaml";
  EXPECT_EQ(supervisor_arguments(in), (std::vector<std::string>{"-f", "c.yaml"}));
  in.home = "/h";
  in.run_dir = "/r";
  EXPECT_EQ(supervisor_arguments(in),
            (std::vector<std::string>{"-f", "c.yaml", "--home", "/h", "--run-dir", "/r"}));
}

TEST(StartRouter, AMissingSupervisorIsNamedWithThePlaces) {
  Invocation in;
  in.file = "c.yaml";
  const Failure failure = start_router(in);  // beside a test program there is none
  EXPECT_EQ(failure.code, ExitCode::refused);
  EXPECT_NE(failure.text.find("libexec/sluice/sluice-supervisor"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
