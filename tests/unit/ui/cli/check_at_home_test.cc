#include "ui/cli/check_at_home.h"

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace sluice::cli {
namespace {

/// What comes of a control plane that is this shell script.
Outcome<pb::ConfigCheckReply> checked_by(const std::string& script) {
  const test::Scratch scratch;
  const std::string program = scratch.put("plane", "#!/bin/sh\n" + script + "\n", 0755);
  return check_with(program, "rules: []\n", "c.yaml", "/h");
}

TEST(CheckAtHome, AMissingControlPlaneIsNamedWithThePlaces) {
  const auto found = check_at_home("rules: []\n", "c.yaml", "/h");  // none beside a test program
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::refused);
  EXPECT_NE(found.error().text.find("libexec/sluice/sluice-controlplane"), std::string::npos);
}

TEST(CheckAtHome, TheReplyIsWhatTheControlPlaneWrites) {
  // Two diagnostics of one field each: a problem, the standard input; and a file, the argument.
  const auto found =
      checked_by(R"(printf '\012\014\062\012'; cat; printf '\012\010\022\006%s' "$2")");
  ASSERT_TRUE(found) << found.error().text;
  ASSERT_EQ(found->diagnostics_size(), 2);
  EXPECT_EQ(found->diagnostics(0).problem(), "rules: []\n");
  EXPECT_EQ(found->diagnostics(1).file(), "c.yaml");
}

TEST(CheckAtHome, AControlPlaneThatFailsOrBabblesIsARefusal) {
  for (const char* script : {"exit 1", "echo babble"}) {
    const auto found = checked_by(script);
    ASSERT_FALSE(found) << script;
    EXPECT_EQ(found.error().code, ExitCode::refused);
    EXPECT_NE(found.error().text.find("failed to check"), std::string::npos) << found.error().text;
  }
}

TEST(CheckAtHome, AReplyWithoutEndIsNotWaitedFor) {
  const auto found = checked_by("exec cat /dev/zero");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::refused);
  EXPECT_NE(found.error().text.find("cannot read what"), std::string::npos) << found.error().text;
}

}  // namespace
}  // namespace sluice::cli
