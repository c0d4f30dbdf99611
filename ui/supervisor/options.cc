#include "ui/supervisor/options.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "proto/runtime/process/paths.h"

namespace sluice::supervisor {

namespace {

std::string absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  const std::unique_ptr<char, decltype(&std::free)> here(::getcwd(nullptr, 0), &std::free);
  return here ? std::string(here.get()) + "/" + path : path;
}

std::string* option_target(Options& options, std::string_view name) {
  if (name == "-f" || name == kOptionConfig) return &options.config;
  if (name == kOptionHome) return &options.home;
  if (name == kOptionRunDirectory) return &options.run_dir;
  return nullptr;
}

}  // namespace

Result<Options> parse_options(std::span<char* const> words, uid_t uid, std::string& why) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    std::string* target = option_target(options, words[i]);
    if (target == nullptr || i + 1 == words.size() || words[i + 1][0] == '\0') {
      why = std::string(words[i]) + (target == nullptr ? ": unknown option" : " needs a value");
      return fail(Errc::invalid);
    }
    *target = words[i + 1];
  }
  if (options.config.empty()) {
    why = "-f FILE is missing";
    return fail(Errc::invalid);
  }
  const std::unique_ptr<char, decltype(&std::free)> real(
      ::realpath(options.config.c_str(), nullptr), &std::free);
  if (!real) {
    why = "cannot read the configuration " + options.config + " (" + std::strerror(errno) +
          "); check the path behind -f";
    return fail(Errc::not_found, Side::us, errno);
  }
  options.config = real.get();
  options.home = absolute(options.home.empty() ? default_home(uid) : options.home);
  options.run_dir =
      absolute(options.run_dir.empty() ? default_run_directory(uid) : options.run_dir);
  return options;
}

}  // namespace sluice::supervisor
