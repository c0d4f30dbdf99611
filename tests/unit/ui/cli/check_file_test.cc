#include "ui/cli/check_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace sluice::cli {
namespace {

model::Diagnostic some(model::Severity severity) {
  model::Diagnostic out;
  out.severity = severity;
  out.file = "c.yaml";
  out.line = 1;
  out.column = 13;
  out.path = "mixed-port";
  out.problem = "is odd";
  out.remedy = "fix it";
  return out;
}

TEST(CheckFile, SaysThePlaceThePathAndTheFix) {
  EXPECT_EQ(diagnostics_text({some(model::Severity::error)}, "c.yaml"),
            "c.yaml:1:13: mixed-port: is odd; fix it [error]\n1 error\n");
}

TEST(CheckFile, WarningsAloneLeaveTheFileValid) {
  EXPECT_EQ(diagnostics_text({some(model::Severity::warning)}, "c.yaml"),
            "c.yaml:1:13: mixed-port: is odd; fix it [warning]\n1 warning; the file is valid\n");
}

TEST(CheckFile, NothingToSayIsSaid) {
  EXPECT_EQ(diagnostics_text({}, "c.yaml"), "c.yaml is valid\n");
}

TEST(CheckFile, SaysWhoJudged) {
  EXPECT_EQ(judge_text({true, "/run/sluice", ""}),
            "checked by the router that runs in /run/sluice\n");
  EXPECT_EQ(judge_text({false, "/run/sluice", "/h"}),
            "checked without a router, with the home directory /h\n");
  EXPECT_EQ(
      check_json({}, {true, "/run/sluice", ""}),
      "{\"valid\":true,\"checkedBy\":\"router\",\"runDir\":\"/run/sluice\",\"diagnostics\":[]}"
      "\n");
}

TEST(CheckFile, JsonHasEveryPart) {
  model::Diagnostic d;
  d.severity = model::Severity::warning;
  d.file = "c.yaml";
  d.line = 3;
  d.column = 5;
  d.path = "dns.listen";
  d.problem = "is \"odd\"";
  d.remedy = "fix it";
  EXPECT_EQ(check_json({d}, {false, "/run/sluice", "/h"}),
            "{\"valid\":true,\"checkedBy\":\"home\",\"home\":\"/"
            "h\",\"diagnostics\":[{\"severity\":\"warning\",\"file\":\"c.yaml\","
            "\"line\":3,\"column\":5,\"path\":\"dns.listen\",\"problem\":\"is \\\"odd\\\"\","
            "\"remedy\":\"fix it\"}]}\n");
}

TEST(CheckFile, FilesThatCannotBeReadAreUsageErrors) {
  const auto missing = read_text("/nonexistent/c.yaml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ExitCode::usage);
  EXPECT_NE(missing.error().text.find("/nonexistent/c.yaml"), std::string::npos);
  EXPECT_FALSE(read_text("/")) << "a directory";
  EXPECT_FALSE(read_text("/dev/zero")) << "endless";
}

TEST(CheckFile, ReadsAllBytes) {
  const std::string path = ::testing::TempDir() + "check_file_test.yaml";
  const std::string text = std::string(40'000, 'x') + '\0' + "\xff end";
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_text(path), text);
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace sluice::cli
