// sluice - the command line: starts a router, or asks a running one.
#include <string>
#include <vector>

#include "ui/cli/command_line.h"
#include "ui/cli/commands.h"
#include "ui/cli/terminal.h"

int main(int argc, char** argv) {
  sluice::cli::CommandLine line;
  const auto invocation = line.parse(std::vector<std::string>(argv + (argc > 0), argv + argc));
  if (invocation) return sluice::cli::execute(*invocation, line);
  const sluice::cli::ParseEnd& end = invocation.error();
  if (end.to_error)
    sluice::cli::print_error(end.text);
  else
    sluice::cli::print(end.text);
  return end.status;
}
