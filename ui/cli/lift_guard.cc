#include "ui/cli/lift_guard.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "proto/runtime/process/paths.h"
#include "ui/cli/own_directory.h"

extern char** environ;

namespace sluice::cli {
namespace {

std::expected<void, Failure> run_helper(std::string place) {
  std::string option = "--lift-guard";
  const std::array<char*, 3> words{place.data(), option.data(), nullptr};
  pid_t child = -1;
  const int error = ::posix_spawn(&child, place.c_str(), nullptr, nullptr, words.data(), environ);
  if (error != 0)
    return std::unexpected(
        Failure{ExitCode::refused, "cannot start " + place + " (" + std::strerror(error) +
                                       "); check its permissions and the mount options there"});
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  return std::unexpected(Failure{ExitCode::refused,
                                 "the guard is still there; `nft delete table inet sluice_guard` "
                                 "removes it by hand"});
}

}  // namespace

std::vector<std::string> helper_places(const std::string& directory) {
  const std::string name = kNftProgram;
  return {directory + "/../../dataplane/helper/" + name, directory + "/" + name,
          directory + "/../libexec/sluice/" + name};
}

std::expected<void, Failure> lift_guard() {
  std::string tried;
  for (const std::string& place : helper_places(own_directory())) {
    if (::access(place.c_str(), X_OK) == 0) return run_helper(place);
    tried += (tried.empty() ? "" : ", ") + place;
  }
  return std::unexpected(Failure{
      ExitCode::refused, "sluice-nft is missing (looked for " + tried + "); install sluice again"});
}

}  // namespace sluice::cli
