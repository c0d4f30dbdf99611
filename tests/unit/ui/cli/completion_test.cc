#include "ui/cli/completion.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "ui/cli/outline.h"

namespace sluice::cli {
namespace {

std::vector<OutlineCommand> commands() {
  const CommandLine line;
  return outline(line);
}

TEST(Outline, HoldsTheWholeTree) {
  std::vector<std::string> paths;
  for (const OutlineCommand& command : commands()) paths.push_back(command.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"",
                                             "run",
                                             "status",
                                             "explain",
                                             "select",
                                             "flows",
                                             "flows close",
                                             "top",
                                             "stats",
                                             "memory",
                                             "rules",
                                             "rules list",
                                             "rules top",
                                             "rules unused",
                                             "rules disable",
                                             "rules enable",
                                             "rules providers",
                                             "rules update",
                                             "rules convert",
                                             "config",
                                             "config check",
                                             "config diff",
                                             "config apply",
                                             "config confirm",
                                             "config rollback",
                                             "capture",
                                             "capture open",
                                             "log",
                                             "version",
                                             "completion",
                                             "man"}));
}

TEST(Outline, KnowsWhatOptionsTake) {
  for (const OutlineCommand& command : commands())
    for (const OutlineOption& option : command.options) {
      EXPECT_FALSE(option.description.empty()) << command.path << " " << option.names.front();
      if (option.names.front() == "--json") {
        EXPECT_EQ(option.takes, Takes::nothing);
      }
      if (option.names.front() == "--run-dir") {
        EXPECT_EQ(option.takes, Takes::directory);
      }
      if (option.names.front() == "FILE" || option.names.front() == "IN") {
        EXPECT_EQ(option.takes, Takes::file);
      }
      if (option.names.front() == "--level") {
        EXPECT_EQ(option.choices.size(), 5u);
      }
      if (option.names.front() == "ID") {
        EXPECT_TRUE(option.repeats);
      }
    }
}

TEST(Completion, EveryScriptListsEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell, commands());
    for (const OutlineCommand& command : commands()) {
      for (const std::string& name : command.subcommands)
        EXPECT_NE(script.find(name), std::string::npos) << shell << " " << name;
      for (const OutlineOption& option : command.options) {
        if (option.positional) continue;
        // fish writes `-l follow` for `--follow`.
        const std::string name = option.names.front().substr(2);
        EXPECT_NE(script.find(name), std::string::npos) << shell << " " << name;
      }
    }
  }
}

/// What bash offers for a command line whose last word is being typed.
std::string offered(const std::string& line) {
  std::string file = ::testing::TempDir() + "sluice_completion.XXXXXX";
  const int fd = ::mkstemp(file.data());
  EXPECT_GE(fd, 0);
  ::close(fd);
  std::ofstream(file) << completion_script("bash", commands()) << "COMP_WORDS=(" << line
                      << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_sluice\n"
                      << "echo -n \"${COMPREPLY[*]}\"\n";
  std::string out;
  std::FILE* pipe = ::popen(("bash " + file).c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::array<char, 4096> block{};
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    out.append(block.data(), n);
  EXPECT_EQ(::pclose(pipe), 0) << "bash does not take the script";
  ::unlink(file.c_str());
  return out;
}

TEST(Completion, BashOffersWhatFits) {
  EXPECT_EQ(offered("sluice ver"), "version");
  EXPECT_EQ(offered("sluice config ro"), "rollback");
  EXPECT_EQ(offered("sluice --run-dir /x config c"), "check confirm");
  EXPECT_EQ(offered("sluice explain --network ''"), "tcp udp");
  EXPECT_EQ(offered("sluice completion ''"), "bash zsh fish");
  EXPECT_EQ(offered("sluice explain --inbound soc"), "socks4 socks5");
  EXPECT_EQ(offered("sluice config apply --j"), "--json");
  EXPECT_EQ(offered("sluice flows close --a"), "--all");
  EXPECT_EQ(offered("sluice flows --run"), "--run-dir");
  EXPECT_EQ(offered("sluice rules un"), "unused");
  EXPECT_EQ(offered("sluice rules convert a b --to ''"), "text yaml mrs");
}

TEST(Completion, AnOptionMayTakeOneThingHereAndAnotherThere) {
  EXPECT_EQ(offered("sluice rules convert a b --from m"), "mrs mmdb");
  EXPECT_EQ(offered("sluice explain a:1 --from m"), "") << "an address, which nobody can guess";
  EXPECT_EQ(offered("sluice --run-dir /x rules convert a b --from m"), "mrs mmdb");
  const std::string zsh = completion_script("zsh", commands());
  EXPECT_LT(zsh.find("(' rules convert --from') compadd"), zsh.find("(*' --from') _message"));
}

}  // namespace
}  // namespace sluice::cli
