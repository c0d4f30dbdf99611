#include "ui/cli/man_page.h"

#include <gtest/gtest.h>

#include "ui/cli/exit_code.h"

namespace sluice::cli {
namespace {

std::string roff_words(std::string text) {
  std::string out;
  for (const char c : text) out += c == '-' ? "\\-" : std::string(1, c);
  return out;
}

TEST(ManPage, HasTheUsualSectionsEveryCommandAndEveryExitCode) {
  const CommandLine line;
  const std::string page = man_page(outline(line));
  EXPECT_TRUE(page.starts_with(".TH SLUICE 1 "));
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS",
                              "EXIT STATUS", "FILES", "EXAMPLES"})
    EXPECT_NE(page.find(std::string(".SH ") + section + "\n"), std::string::npos) << section;
  for (const OutlineCommand& command : outline(line)) {
    if (command.path.empty()) continue;
    if (command.subcommands.empty()) {
      EXPECT_NE(page.find("\\fBsluice " + command.path + "\\fR"), std::string::npos)
          << command.path;
    }
    for (const OutlineOption& option : command.options)
      EXPECT_NE(page.find(roff_words(option.names.front())), std::string::npos);
  }
  for (const ExitMeaning& meaning : kExitMeanings)
    EXPECT_NE(page.find(roff_words(std::string(meaning.text))), std::string::npos);
}

TEST(ManPage, NoLineOfTextIsTakenForARequest) {
  const CommandLine line;
  const std::string page = man_page(outline(line));
  for (std::size_t at = 0; at < page.size(); at = page.find('\n', at) + 1) {
    if (page[at] != '.') continue;
    const std::string request = page.substr(at, 3);
    EXPECT_TRUE(request == ".TH" || request == ".SH" || request == ".SS" || request == ".TP")
        << page.substr(at, 40);
  }
}

}  // namespace
}  // namespace sluice::cli
