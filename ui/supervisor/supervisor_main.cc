// sluice-supervisor - runs both planes in the foreground; `sluice run` becomes this program.
//
// Exit codes: exit_code.h.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/process/exit_code.h"
#include "proto/runtime/process/paths.h"
#include "ui/supervisor/layout.h"
#include "ui/supervisor/options.h"
#include "ui/supervisor/programs.h"
#include "ui/supervisor/supervisor.h"

namespace sluice::supervisor {
namespace {

int give_up(ExitCode code, const std::string& why) {
  (void)std::fprintf(stderr, "sluice: %s\n", why.c_str());
  return to_int(code);
}

Plane make_data_plane(const Options& options, const Identities& who, Programs& programs) {
  PlaneSpec spec;
  spec.name = kDataPlaneProgram;
  spec.arguments = {kOptionRunDirectory,    options.run_dir + "/" + kDataDirectory,
                    kOptionControlUid,      std::to_string(who.control.uid),
                    kOptionControlGid,      std::to_string(who.control.gid),
                    kOptionHelperDirectory, programs.helper_directory};
  // It starts as root, forks its spawner, and then becomes this user itself.
  if (who.root) spec.arguments.insert(spec.arguments.end(), {kOptionUser, kDataUser});
  return {std::move(spec), std::move(programs.data_plane)};
}

Plane make_control_plane(const Options& options, const Identities& who, Programs& programs) {
  PlaneSpec spec;
  spec.name = kControlPlaneProgram;
  spec.arguments = {kOptionConfig, options.config,      kOptionHome,
                    options.home,  kOptionRunDirectory, options.run_dir};
  spec.again = {kOptionRestarted};
  spec.drop = who.root;
  spec.privileges = {who.control.uid, who.control.gid, {who.control.gid}, kControlPlaneCaps, true};
  return {std::move(spec), std::move(programs.control_plane)};
}

int start(std::span<char* const> words) {
  set_log_process("sluice");
  std::string why;
  const Result<Options> options = parse_options(words, ::geteuid(), why);
  if (!options) {
    if (options.error().code == Errc::not_found) return give_up(ExitCode::bad_config, why);
    return give_up(ExitCode::usage, why + "\n" + kUsage);
  }
  const Result<Identities> who = find_identities(::geteuid(), ::getegid());
  if (!who) return give_up(ExitCode::failure, "users: " + describe(who.error()));
  const Result<std::string> own = own_directory();
  if (!own) return give_up(ExitCode::failure, describe(own.error()));
  Result<Programs> programs = open_programs(*own, why);
  if (!programs) return give_up(ExitCode::failure, why);
  if (Status s = make_layout(*options, *who, why); !s) return give_up(ExitCode::failure, why);
  const Result<Locks> locks = take_locks(*options, why);
  if (!locks)
    return give_up(
        locks.error().code == Errc::exists ? ExitCode::already_running : ExitCode::failure, why);
  if (!who->root)
    SLUICE_LOG(warning, "supervisor",
               "not root: capture, ports below 1024 and separate users do not work; all else does");
  Plane data = make_data_plane(*options, *who, *programs);
  Plane control = make_control_plane(*options, *who, *programs);
  return Supervisor(std::move(data), std::move(control), ConfigFile(options->config)).run();
}

}  // namespace
}  // namespace sluice::supervisor

int main(int count, char** words) {
  const std::span<char* const> all(words, static_cast<std::size_t>(count));
  return sluice::supervisor::start(all.subspan(all.empty() ? 0 : 1));
}
