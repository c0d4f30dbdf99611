#include "ui/supervisor/programs.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "proto/runtime/process/paths.h"

namespace sluice::supervisor {

namespace {

/// The first of both places that has the program; empty when neither does.
std::string find_directory(const std::string& own, const char* build_place, const char* program) {
  for (const std::string& directory : {own, own + "/../../" + build_place}) {
    if (::access((directory + "/" + program).c_str(), X_OK) == 0) return directory;
  }
  return {};
}

Result<UniqueFd> open_program(const std::string& own, const char* build_place, const char* program,
                              std::string& why) {
  const std::string directory = find_directory(own, build_place, program);
  UniqueFd file;
  if (!directory.empty())
    file = UniqueFd(::open((directory + "/" + program).c_str(), O_PATH | O_CLOEXEC));
  if (file.valid()) return file;
  why = std::string(program) + " is not beside " + own;
  return fail(Errc::not_found, Side::us, ENOENT);
}

}  // namespace

Result<std::string> own_directory() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return fail_errno(errno);
  const std::string own(path.data(), static_cast<std::size_t>(size));
  return own.substr(0, own.rfind('/'));
}

Result<Programs> open_programs(const std::string& own, std::string& why) {
  Programs programs;
  Result<UniqueFd> data = open_program(own, "dataplane/app", kDataPlaneProgram, why);
  if (!data) return fail(data.error());
  Result<UniqueFd> control = open_program(own, "controlplane/app", kControlPlaneProgram, why);
  if (!control) return fail(control.error());
  programs.data_plane = std::move(*data);
  programs.control_plane = std::move(*control);
  programs.helper_directory = find_directory(own, "dataplane/helper", kNftProgram);
  if (programs.helper_directory.empty()) {
    why = std::string(kNftProgram) + " is not beside " + own;
    return fail(Errc::not_found, Side::us, ENOENT);
  }
  return programs;
}

}  // namespace sluice::supervisor
