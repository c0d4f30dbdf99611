#include "ui/cli/start_router.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ui/cli/own_directory.h"

namespace sluice::cli {
namespace {

constexpr const char* kSupervisor = "sluice-supervisor";

}  // namespace

std::vector<std::string> supervisor_places(const std::string& directory) {
  return {directory + "/../supervisor/" + kSupervisor, directory + "/" + kSupervisor,
          directory + "/../libexec/sluice/" + kSupervisor};
}

std::vector<std::string> supervisor_arguments(const Invocation& invocation) {
  std::vector<std::string> out{"-f", invocation.file};
  if (!invocation.home.empty()) out.insert(out.end(), {"--home", invocation.home});
  if (!invocation.run_dir.empty()) out.insert(out.end(), {"--run-dir", invocation.run_dir});
  return out;
}

Failure start_router(const Invocation& invocation) {
  std::vector<std::string> arguments = supervisor_arguments(invocation);
  arguments.insert(arguments.begin(), kSupervisor);
  std::vector<char*> raw;
  raw.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) raw.push_back(argument.data());
  raw.push_back(nullptr);
  std::string tried;
  for (const std::string& place : supervisor_places(own_directory())) {
    if (::access(place.c_str(), X_OK) != 0) {
      tried += (tried.empty() ? "" : ", ") + place;
      continue;
    }
    ::execv(place.c_str(), raw.data());
    return {ExitCode::refused, "cannot start " + place + " (" + std::strerror(errno) +
                                   "); check its permissions and the mount options there"};
  }
  return {ExitCode::refused,
          "the supervisor is missing (looked for " + tried + "); install sluice again"};
}

}  // namespace sluice::cli
