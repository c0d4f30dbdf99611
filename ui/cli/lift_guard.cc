#include "ui/cli/lift_guard.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "ui/cli/own_programs.h"

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

std::expected<void, Failure> lift_guard() {
  const auto program = find_program(kNftHelper);
  if (!program) return std::unexpected(program.error());
  return run_helper(*program);
}

}  // namespace sluice::cli
