#include "controlplane/app/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice::control_plane {
namespace {

std::expected<Options, std::string> parse(std::vector<std::string> words) {
  std::string program = "sluice-controlplane";
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

TEST(Options, TakesWhatTheSupervisorPasses) {
  const auto options = parse({"--config", "/etc/c.yaml", "--home", "/h", "--run-dir", "/r",
                              "--user", "sluice", "--supervisor-fd", "5"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->config, "/etc/c.yaml");
  EXPECT_EQ(options->home, "/h");
  EXPECT_EQ(options->run_dir, "/r");
  EXPECT_EQ(options->user, "sluice");
  EXPECT_EQ(options->supervisor_fd, 5);
  EXPECT_FALSE(options->restarted);
}

TEST(Options, ARestartIsAFlagWithoutAValue) {
  const auto options = parse({"--config", "/c", "--restarted", "--home", "/h"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->restarted);
  EXPECT_EQ(options->home, "/h");
}

TEST(Options, ACheckNamesTheTextOnStandardInput) {
  const auto options = parse({"--check", "c.yaml", "--home", "/h"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->check, "c.yaml");
  EXPECT_TRUE(options->config.ends_with("/c.yaml")) << "no provider may write it";
}

TEST(Options, RelativePathsBecomeAbsolute) {
  const auto options = parse({"--config", "c.yaml"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->config.front(), '/');
  EXPECT_TRUE(options->config.ends_with("/c.yaml"));
}

TEST(Options, SaysWhatIsWrong) {
  EXPECT_TRUE(parse({}).error().starts_with("--config is missing"));
  EXPECT_EQ(parse({"--config"}).error(), "--config wants a value; see --help");
  EXPECT_EQ(parse({"--nope", "x"}).error(), "unknown option --nope; see --help");
  EXPECT_FALSE(parse({"--config", "c", "--supervisor-fd", "x"}));
}

}  // namespace
}  // namespace sluice::control_plane
