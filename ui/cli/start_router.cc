#include "ui/cli/start_router.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace sluice::cli {
namespace {

constexpr const char* kSupervisor = "sluice-supervisor";

/// Directory of this program, links followed; empty when /proc is not there.
std::string own_directory() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size <= 0) return {};
  const std::string text(path.data(), static_cast<std::size_t>(size));
  return text.substr(0, text.rfind('/'));
}

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
