#include "ui/cli/start_router.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ui/cli/own_programs.h"

namespace sluice::cli {

std::vector<std::string> supervisor_arguments(const Invocation& invocation) {
  std::vector<std::string> out{"-f", invocation.file};
  if (!invocation.home.empty()) out.insert(out.end(), {"--home", invocation.home});
  if (!invocation.run_dir.empty()) out.insert(out.end(), {"--run-dir", invocation.run_dir});
  return out;
}

Failure start_router(const Invocation& invocation) {
  const auto program = find_program(kSupervisor);
  if (!program) return program.error();
  std::vector<std::string> arguments = supervisor_arguments(invocation);
  arguments.insert(arguments.begin(), kSupervisor.name);
  std::vector<char*> raw;
  raw.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) raw.push_back(argument.data());
  raw.push_back(nullptr);
  ::execv(program->c_str(), raw.data());
  return {ExitCode::refused, "cannot start " + *program + " (" + std::strerror(errno) +
                                 "); check its permissions and the mount options there"};
}

}  // namespace sluice::cli
