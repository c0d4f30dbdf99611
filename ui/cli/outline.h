// cli/outline.h - the command tree as plain values, for the writers of completion and man page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ui/cli/command_line.h"

namespace sluice::cli {

enum class Takes : std::uint8_t { nothing, text, file, directory, choice };

struct OutlineOption {
  std::vector<std::string> names;  ///< "--file", "-f"; a positional one has just "FILE"
  bool positional = false;
  bool required = false;
  bool repeats = false;  ///< any number of values
  Takes takes = Takes::nothing;
  std::string value_name;  ///< "FILE"; empty when it takes nothing
  std::vector<std::string> choices;
  std::string description;
};

struct OutlineCommand {
  std::string path;  ///< "flows close"; empty for `sluice` itself
  std::string description;
  std::vector<OutlineOption> options;    ///< without --help
  std::vector<std::string> subcommands;  ///< last words of their paths
};

/// Depth first, `sluice` itself first, in the order of the definitions.
[[nodiscard]] std::vector<OutlineCommand> outline(const CommandLine& line);

}  // namespace sluice::cli
