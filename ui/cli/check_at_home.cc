#include "ui/cli/check_at_home.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"
#include "proto/runtime/process/paths.h"
#include "proto/runtime/process/users.h"
#include "ui/cli/own_programs.h"

namespace sluice::cli {
namespace {

/// The text alone earns 2,000 diagnostics at most (model::Report); each list or category that its
/// rules name and nobody has adds one. A longer reply is refused.
constexpr std::size_t kMaxReply_bytes = std::size_t{64} << 20U;

std::unexpected<Failure> cannot(const std::string& what, int sys) {
  return std::unexpected(Failure{ExitCode::refused, what + " (" + std::strerror(sys) + ")"});
}

Outcome<UniqueFd> in_memory(const std::string& text) {
  UniqueFd out(::memfd_create("sluice-check", MFD_CLOEXEC));
  if (!out.valid() || !write_whole(out.get(), text) || ::lseek(out.get(), 0, SEEK_SET) != 0)
    return cannot("no room for the text", errno);
  return out;
}

std::vector<std::string> arguments_for(const std::string& file, const std::string& home) {
  std::vector<std::string> out{kControlPlaneProgram, kOptionCheck, file, kOptionHome, home};
  if (::geteuid() == 0 && find_user(kControlUser))
    out.insert(out.end(), {kOptionUser, kControlUser});
  return out;
}

/// Starts `program` between both descriptors. Errors: errno.
std::expected<pid_t, int> start(const std::string& program, std::vector<std::string> arguments,
                                const UniqueFd& input, const UniqueFd& output) {
  std::vector<char*> raw;
  for (std::string& argument : arguments) raw.push_back(argument.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  pid_t child = -1;
  const int sys = ::posix_spawn(&child, program.c_str(), &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (sys != 0) return std::unexpected(sys);
  return child;
}

/// Waits for its end; whether that was a good one.
bool ended_well(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Outcome<pb::ConfigCheckReply> check_at_home(const std::string& text, const std::string& file,
                                            const std::string& home) {
  const auto program = find_program(kControlPlane);
  if (!program) return std::unexpected(program.error());
  return check_with(*program, text, file, home);
}

Outcome<pb::ConfigCheckReply> check_with(const std::string& program, const std::string& text,
                                         const std::string& file, const std::string& home) {
  const auto input = in_memory(text);
  if (!input) return std::unexpected(input.error());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return cannot("no pipe", errno);
  UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const auto child = start(program, arguments_for(file, home), *input, to);
  if (!child) return cannot("cannot start " + program, child.error());
  to.reset();  // so that the end of the child is the end of the pipe
  const auto bytes = read_whole(from.get(), kMaxReply_bytes);
  from.reset();  // so that a child with more to say does not wait for a reader
  const bool well = ended_well(*child);
  if (!bytes) return cannot("cannot read what " + program + " says", bytes.error().sys);
  pb::ConfigCheckReply reply;
  if (!well || !reply.ParseFromString(*bytes))
    return std::unexpected(
        Failure{ExitCode::refused, program + " failed to check the file; why stands above"});
  return reply;
}

}  // namespace sluice::cli
