#include "ui/cli/check_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace sluice::cli {
namespace {

TEST(CheckFile, SaysThePlaceThePathAndTheFix) {
  const auto found = check_text("mixed-port: 78900\nrules:\n  - MATCH,DIRECT\n", "c.yaml");
  ASSERT_EQ(found.size(), 1u);
  const std::string text = diagnostics_text(found, "c.yaml");
  EXPECT_TRUE(text.starts_with("c.yaml:1:13: mixed-port: ")) << text;
  EXPECT_NE(text.find("; "), std::string::npos);
  EXPECT_TRUE(text.ends_with(" [error]\n1 error\n")) << text;
  EXPECT_TRUE(model::has_errors(found));
}

TEST(CheckFile, WarningsAloneLeaveTheFileValid) {
  const auto found = check_text("no-such-key: 1\nrules:\n  - MATCH,DIRECT\n", "c.yaml");
  EXPECT_FALSE(model::has_errors(found));
  const std::string text = diagnostics_text(found, "c.yaml");
  EXPECT_TRUE(text.starts_with("c.yaml:1:1: no-such-key: ")) << text;
  EXPECT_TRUE(text.ends_with("1 warning; the file is valid\n")) << text;
}

TEST(CheckFile, NothingToSayIsSaid) {
  EXPECT_EQ(diagnostics_text({}, "c.yaml"), "c.yaml is valid\n");
  EXPECT_EQ(diagnostics_json({}), "{\"valid\":true,\"diagnostics\":[]}\n");
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
  EXPECT_EQ(diagnostics_json({d}),
            "{\"valid\":true,\"diagnostics\":[{\"severity\":\"warning\",\"file\":\"c.yaml\","
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
