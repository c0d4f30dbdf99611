// sluice-controlplane: start, in the order that privileges and correctness demand.
//
//   options -> directories -> privileges dropped -> call filter -> configuration read and compiled
//     -> stores -> names open -> data plane told -> home loop until TERM or the supervisor is gone

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "controlplane/app/boot.h"
#include "controlplane/app/check_only.h"
#include "controlplane/app/config_source.h"
#include "controlplane/app/control_plane.h"
#include "controlplane/app/options.h"
#include "controlplane/app/preparer.h"
#include "controlplane/app/signals.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/common/log_writer.h"
#include "proto/runtime/process/exit_code.h"

namespace sluice::control_plane {
namespace {

int say(const std::string& sentence, ExitCode code) {
  SLUICE_LOG(error, "start", "%s", sentence.c_str());
  return to_int(code);
}

/// The file as it is now. All that is wrong with it is said, unless another configuration may stand
/// in: then one line is enough, and comes when that one runs.
First read_first(ConfigSource& source, Preparer& preparer, bool restarted) {
  First first;
  first.restarted = restarted;
  auto text = source.read();
  if (text) {
    first.file = preparer.prepare(std::move(*text), source.path());
    first.broken = first_error(first.file.diagnostics);
  } else {
    first.broken = describe(text.error());
  }
  if (first.broken.empty() || !restarted) log_diagnostics(first.file.diagnostics);
  if (!text && !restarted) SLUICE_LOG(error, "config", "%s", first.broken.c_str());
  return first;
}

int serve(const Options& options, UniqueFd signals) {
  UniqueFd supervisor(options.supervisor_fd);
  const int link = supervisor.get();
  if (link >= 0) ::fcntl(link, F_SETFD, FD_CLOEXEC);
  ConfigSource source(options.config, std::move(supervisor));
  Preparer preparer(file_places(options));
  First first = read_first(source, preparer, options.restarted);
  if (!first.broken.empty() && !options.restarted) return to_int(ExitCode::bad_config);

  auto home = Loop::make();
  if (!home) return say("no event loop: " + describe(home.error()), ExitCode::failure);
  ControlPlane plane(**home, options, source, preparer);
  auto on_signal = SignalWatch::make(**home, std::move(signals), [&plane](int signal) {
    if (signal == SIGHUP)
      plane.reload();
    else
      plane.drain();
  });
  if (!on_signal)
    return say("signals cannot be watched: " + describe(on_signal.error()), ExitCode::failure);
  std::unique_ptr<OrphanWatch> on_orphaned;
  if (link >= 0) {
    auto made = OrphanWatch::make(**home, link, [&plane] { plane.drain(); });
    if (!made)
      return say("the supervisor cannot be watched: " + describe(made.error()), ExitCode::failure);
    on_orphaned = std::move(*made);
  }
  if (const auto problem = plane.start(std::move(first))) {
    const ExitCode code = plane.exit_code();
    return say(*problem, code == ExitCode::ok ? ExitCode::failure : code);
  }
  (*home)->run();
  SLUICE_LOG(info, "stop", "done");
  return to_int(plane.exit_code());
}

}  // namespace

int run(int argc, char** argv) {
  set_log_process("controlplane");
  const auto options = parse_options(argc, argv);
  if (!options) return say(options.error(), ExitCode::usage);
  if (options->help || options->version) {
    std::fputs(options->help ? usage() : "sluice-controlplane " SLUICE_VERSION "\n", stdout);
    return to_int(ExitCode::ok);
  }
  keep_heap_small();
  if (!options->check.empty()) return check_only(*options);
  if (const auto problem = make_directories(*options)) return say(*problem, ExitCode::failure);
  if (const auto problem = become_ourselves(*options)) return say(*problem, ExitCode::failure);
  UniqueFd signals = take_signals();
  const LogWriter log(STDERR_FILENO);  // no thread of ours waits for whoever reads it
  return serve(*options, std::move(signals));
}

}  // namespace sluice::control_plane

int main(int argc, char** argv) {
  return sluice::control_plane::run(argc, argv);
}
