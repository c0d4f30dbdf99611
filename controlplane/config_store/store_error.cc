#include "controlplane/config_store/store_error.h"

#include <cstring>

namespace sluice::config_store {
namespace {

std::string reason(int sys) {
  return sys == 0 ? std::string() : std::string(" (") + std::strerror(sys) + ")";
}

}  // namespace

std::string describe(const StoreError& error) {
  switch (error.fault) {
    case StoreFault::read_failed:
      return "cannot read " + error.path + reason(error.sys) +
             "; check that the file exists and that the router's user may read it";
    case StoreFault::read_only:
      return error.path + " is read-only" + reason(error.sys) +
             "; make it writable, or use --once to run a configuration without saving it";
    case StoreFault::other_owner:
      return error.path + " belongs to another user" + reason(error.sys) +
             "; start the router with `sluice run`, which replaces the file for its owner, or use "
             "--once";
    case StoreFault::no_directory:
      return "cannot make a file beside " + error.path + reason(error.sys) +
             "; let the router's user write to that directory, or use --once";
    case StoreFault::write_failed:
      return "cannot replace " + error.path + reason(error.sys) +
             "; the file is as it was, make room or check the disk and try again";
    case StoreFault::too_large:
      return error.path + " is larger than 8 MiB; split off rule sets and nodes into providers";
    case StoreFault::no_version:
      return "no such earlier configuration is kept; the last five are, number 1 is the newest";
    case StoreFault::not_pending:
      return "nothing waits to be confirmed; it was confirmed before or has already been taken "
             "back";
  }
  return "unknown fault";
}

}  // namespace sluice::config_store
