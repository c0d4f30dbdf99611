#include "proto/runtime/process/paths.h"

#include <cstdlib>

namespace sluice {

namespace {

/// The variable's value when it is an absolute path, as the XDG specification demands; else "".
std::string absolute_from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

std::string default_home(uid_t uid) {
  if (uid == 0) return "/var/lib/sluice";
  if (const std::string state = absolute_from_environment("XDG_STATE_HOME"); !state.empty())
    return state + "/sluice";
  return absolute_from_environment("HOME") + "/.local/state/sluice";
}

std::string default_run_directory(uid_t uid) {
  if (uid == 0) return "/run/sluice";
  if (const std::string run = absolute_from_environment("XDG_RUNTIME_DIR"); !run.empty())
    return run + "/sluice";
  return default_home(uid) + "/run";
}

}  // namespace sluice
