#include "ui/cli/run_dir.h"

#include <unistd.h>

#include "proto/runtime/process/paths.h"

namespace sluice::cli {
namespace {

bool has_socket(const std::string& run_dir) {
  return ::access(socket_of(run_dir).c_str(), F_OK) == 0;
}

}  // namespace

Surroundings Surroundings::of_process() {
  return {::geteuid(), default_run_directory(::geteuid())};
}

std::string socket_of(const std::string& run_dir) {
  return run_dir + "/" + kControlDirectory + "/" + kManageSocket;
}

std::string find_run_dir(const std::string& asked, const Surroundings& around) {
  if (!asked.empty()) return asked;
  std::string system = default_run_directory(0);
  if (around.uid == 0) return system;
  return !has_socket(around.own_dir) && has_socket(system) ? system : around.own_dir;
}

}  // namespace sluice::cli
