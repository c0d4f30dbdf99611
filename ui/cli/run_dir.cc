#include "ui/cli/run_dir.h"

#include <unistd.h>

#include <cstdlib>

namespace sluice::cli {
namespace {

bool has_socket(const std::string& run_dir) {
  return ::access(socket_of(run_dir).c_str(), F_OK) == 0;
}

}  // namespace

Surroundings Surroundings::of_process() {
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  return {::geteuid(), runtime_dir == nullptr ? "" : runtime_dir};
}

std::string socket_of(const std::string& run_dir) {
  return run_dir + "/cp/manage.sock";
}

std::string find_run_dir(const std::string& asked, const Surroundings& around) {
  if (!asked.empty()) return asked;
  if (around.uid == 0 || around.runtime_dir.empty()) return kSystemRunDir;
  const std::string own = around.runtime_dir + "/sluice";
  return !has_socket(own) && has_socket(kSystemRunDir) ? kSystemRunDir : own;
}

}  // namespace sluice::cli
