// sluice-dataplane: start, in the order that privileges demand.
//
//   options -> helpers opened -> spawner forked -> privileges dropped -> call filter
//     -> workers, capture, contract's server -> home loop until TERM or the supervisor is gone

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "dataplane/app/address_watch.h"
#include "dataplane/app/core_adapter.h"
#include "dataplane/app/data_plane.h"
#include "dataplane/app/kernel_capture.h"
#include "dataplane/app/limits.h"
#include "dataplane/app/options.h"
#include "dataplane/control/control_server.h"
#include "dataplane/flow/dial_service.h"
#include "dataplane/helper/limits.h"
#include "dataplane/helper/spawner.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/common/log_writer.h"
#include "proto/common/unix_socket.h"
#include "proto/runtime/loop/watch.h"
#include "proto/runtime/process/exit_code.h"
#include "proto/runtime/process/paths.h"
#include "proto/runtime/process/privileges.h"
#include "proto/runtime/process/syscall_filter.h"
#include "proto/runtime/process/users.h"

namespace sluice::app {
namespace {

constexpr char kProgram[] = "sluice-dataplane " SLUICE_VERSION;
/// Running flows get this long after a stop was asked for; the supervisor waits five seconds.
constexpr Millis kDrainGrace{2'000};
/// Bit of the packet mark that exempts our own sockets from capture (openwrt.md, section 9).
constexpr std::uint32_t kOwnMark = 0x100;

int say(const std::string& sentence, ExitCode code) {
  SLUICE_LOG(error, "start", "%s", sentence.c_str());
  return to_int(code);
}

std::string own_directory() {
  std::string path(4096, '\0');
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return path.substr(0, path.rfind('/'));
}

/// In a build tree each program has a folder of its own.
std::string helper_directory(const Options& options) {
  if (!options.helper_dir.empty()) return options.helper_dir;
  std::string own = own_directory();
  if (::access((own + "/" + kNftProgram).c_str(), F_OK) == 0) return own;
  return own + "/../helper";
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void keep_heap_small() {
#ifdef __GLIBC__
  // One arena per thread would cost each worker and each gRPC thread pages of its own.
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_TRIM_THRESHOLD, 128 * 1024);
#endif
}

/// Privileges as design section 1 says; fills `spawner` when there is something to spawn.
std::optional<std::string> become_ourselves(const Options& options,
                                            std::optional<SpawnerHandle>& spawner) {
  UserIds ids{::getuid(), ::getgid()};
  const bool root = ::geteuid() == 0;
  if (root && !options.user.empty()) {
    const auto found = find_user(options.user.c_str());
    if (!found) return "there is no user " + options.user + "; `sluice run` creates it";
    ids = *found;
  }
  if (root) {
    const std::string directory = helper_directory(options);
    auto helpers = open_helpers(directory.c_str());
    if (!helpers) return std::string(kNftProgram) + " was not found in " + directory;
    auto started = start_spawner(std::move(*helpers), ids.uid, ids.gid);
    if (!started) return "the spawner cannot be started: " + describe(started.error());
    spawner.emplace(std::move(*started));
  }
  const CapMask caps = root ? kDataPlaneCaps : 0;
  if (const Status dropped = drop_privileges({ids.uid, ids.gid, {}, caps, false}); !dropped)
    return "privileges cannot be dropped: " + describe(dropped.error());
  if (const Status filtered = apply_seccomp(SeccompProfile::dataplane); !filtered)
    return "the system call filter cannot be set: " + describe(filtered.error());
  return std::nullopt;
}

/// INT and TERM, and end of file from the supervisor, drain the process.
class StopWatch final : public WatchSink {
 public:
  StopWatch(Loop& home, UniqueFd fd, std::function<void()> stop) : stop_(std::move(stop)) {
    auto watch = Watch::make(home, std::move(fd));
    if (!watch) return;
    watch_ = std::move(*watch);
    watch_->set_sink(this);
  }

 private:
  void on_ready() noexcept override {
    if (watch_->readable()) stop_();  // a socket is also writable, which says nothing
  }
  std::unique_ptr<Watch> watch_;
  std::function<void()> stop_;
};

UniqueFd stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  sigdelset(&set, SIGHUP);  // reloading is the control plane's; here it is only not deadly
  return UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

StartProcess process_starter(SpawnerHandle* helpers) {
  if (helpers == nullptr) return {};
  return [helpers]() -> Result<kernel::ProcHelper> {
    auto started = helpers->spawn(HelperKind::proc, kHelperStart);
    if (!started) return fail(started.error());
    SLUICE_LOG(debug, "owner", "sluice-proc runs as pid %d", static_cast<int>(started->pid));
    return kernel::ProcHelper{std::move(started->socket), started->pid};
  };
}

int serve(const Options& options, std::optional<SpawnerHandle> spawner, UniqueFd signals) {
  const unsigned workers = options.workers != 0 ? options.workers
                                                : std::clamp(std::thread::hardware_concurrency(),
                                                             1U, unsigned{nft::kMaxUdpPorts});
  auto contract_socket = listen_unix(options.run_dir + "/" + kContractSocket, 0660);
  auto dial_socket = listen_unix(options.run_dir + "/" + kDialSocket, 0660);
  if (!contract_socket || !dial_socket)
    return say(options.run_dir + " cannot hold our sockets: " +
                   describe((!contract_socket ? contract_socket : dial_socket).error()),
               ExitCode::failure);
  auto home = Loop::make();
  if (!home) return say("no event loop: " + describe(home.error()), ExitCode::failure);
  const bool marks = (effective_caps() & cap_bit(CAP_NET_ADMIN)) != 0;
  SpawnerHandle* const helpers = spawner ? &*spawner : nullptr;
  KernelCapture capture(**home, helpers, {::getuid(), options.control_uid}, options.run_dir);
  CoreAdapter core(workers);
  auto plane = DataPlane::make(**home, {workers, marks ? kOwnMark : 0, process_starter(helpers)},
                               core, capture);
  if (!plane) return say("no workers: " + describe(plane.error()), ExitCode::failure);
  core.connect(**plane, capture);
  capture.on_change([&plane] { (*plane)->refresh_status(); });
  const auto addresses = AddressWatch::make(**home, [&plane] { (*plane)->addresses_changed(); });
  if (!addresses)
    SLUICE_LOG(warning, "start", "changes of addresses go unseen: %s",
               describe(addresses.error()).c_str());
  (*plane)->start();
  (*plane)->serve_dial(std::move(*dial_socket), options.control_uid);

  control::ControlServer server(core, std::move(*contract_socket),
                                {options.run_dir, {options.control_uid}, kProgram},
                                recovery::load(options.run_dir));
  const auto stop = [&](Ending ending) {
    (*plane)->drain(ending, kDrainGrace, [&] {
      const auto end = [&] { (*home)->post(make_job([&] { (*home)->stop(); })); };
      if (!server.finish_counters(end)) end();
    });
  };
  const StopWatch on_signal(**home, std::move(signals), [&] { stop(Ending::asked); });
  std::optional<StopWatch> on_orphaned;
  if (options.supervisor_fd >= 0) {
    ::fcntl(options.supervisor_fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(options.supervisor_fd, F_SETFL, O_NONBLOCK);
    on_orphaned.emplace(**home, UniqueFd(options.supervisor_fd), [&] { stop(Ending::orphaned); });
  }
  std::thread control([&server] { server.run(); });
  SLUICE_LOG(info, "start", "%s: %u workers", kProgram, workers);
  (*home)->run();
  server.stop();
  control.join();
  // A clean stop leaves nothing: the next start must not open the ports of a configuration that was
  // stopped. (A killed process keeps its files, which is what they are for.)
  recovery::forget(options.run_dir);
  ::unlink((options.run_dir + "/" + kContractSocket).c_str());
  ::unlink((options.run_dir + "/" + kDialSocket).c_str());
  SLUICE_LOG(info, "stop", "done");
  return to_int(ExitCode::ok);
}

}  // namespace

int run(int argc, char** argv) {
  set_log_process("dataplane");
  const auto options = parse_options(argc, argv);
  if (!options) return say(options.error(), ExitCode::usage);
  if (options->help || options->version) {
    std::fputs(options->help ? usage() : kProgram, stdout);
    if (options->version) std::fputc('\n', stdout);
    return to_int(ExitCode::ok);
  }
  keep_heap_small();
  raise_descriptor_limit();
  std::optional<SpawnerHandle> spawner;
  if (const auto problem = become_ourselves(*options, spawner))
    return say(*problem, ExitCode::failure);
  UniqueFd signals = stop_signals();
  const LogWriter log(STDERR_FILENO);  // after the fork, and with its signals blocked
  return serve(*options, std::move(spawner), std::move(signals));
}

}  // namespace sluice::app

int main(int argc, char** argv) {
  return sluice::app::run(argc, argv);
}
