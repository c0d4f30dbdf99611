#include "controlplane/app/boot.h"

#include <malloc.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "proto/common/error_text.h"
#include "proto/runtime/process/paths.h"
#include "proto/runtime/process/privileges.h"
#include "proto/runtime/process/syscall_filter.h"
#include "proto/runtime/process/users.h"

namespace sluice::control_plane {
namespace {

constexpr mode_t kOwnDirectoryMode = 0700;

std::optional<std::string> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), kOwnDirectoryMode) == 0 || errno == EEXIST) return std::nullopt;
  return path + " cannot be made: " + describe(error_from_errno(errno)) +
         "; make it, or choose another directory";
}

}  // namespace

void keep_heap_small() noexcept {
#ifdef __GLIBC__
  // One arena per thread would cost every gRPC thread pages of its own.
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_TRIM_THRESHOLD, 128 * 1024);
#endif
}

std::optional<std::string> make_directories(const Options& options) {
  ::umask(S_IRWXG | S_IRWXO);  // stores tell who went where, earlier configurations hold passwords
  if (auto problem = make_directory(options.home)) return problem;
  return make_directory(options.run_dir + "/" + kControlDirectory);
}

std::optional<std::string> become_ourselves(const Options& options) {
  UserIds ids{::getuid(), ::getgid()};
  const bool root = ::geteuid() == 0;
  if (root && !options.user.empty()) {
    const auto found = find_user(options.user.c_str());
    if (!found) return "there is no user " + options.user + "; `sluice run` creates it";
    ids = *found;
  }
  // The supervisor has already made us the user and left us the one capability.
  const CapMask caps = root ? kControlPlaneCaps : effective_caps() & kControlPlaneCaps;
  if (const Status dropped = drop_privileges({ids.uid, ids.gid, {}, caps, false}); !dropped)
    return "privileges cannot be dropped: " + describe(dropped.error());
  if (const Status filtered = apply_seccomp(SeccompProfile::controlplane); !filtered)
    return "the system call filter cannot be set: " + describe(filtered.error());
  return std::nullopt;
}

UniqueFd take_signals() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

}  // namespace sluice::control_plane
