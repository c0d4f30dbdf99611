#include "ui/cli/own_programs.h"

#include <unistd.h>

#include <array>

namespace sluice::cli {
namespace {

/// Links followed; empty when /proc is not there.
std::string own_directory() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size <= 0) return {};
  const std::string text(path.data(), static_cast<std::size_t>(size));
  return text.substr(0, text.rfind('/'));
}

}  // namespace

std::vector<std::string> places_of(const OwnProgram& program, const std::string& directory) {
  const std::string name = std::string("/") + program.name;
  return {directory + "/../../" + program.build_place + name, directory + name,
          directory + "/../libexec/sluice" + name};
}

std::expected<std::string, Failure> find_program(const OwnProgram& program) {
  std::string tried;
  for (const std::string& place : places_of(program, own_directory())) {
    if (::access(place.c_str(), X_OK) == 0) return place;
    tried += (tried.empty() ? "" : ", ") + place;
  }
  return std::unexpected(Failure{
      ExitCode::refused,
      std::string(program.name) + " is missing (looked for " + tried + "); install sluice again"});
}

}  // namespace sluice::cli
