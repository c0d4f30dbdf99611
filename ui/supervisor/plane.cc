#include "ui/supervisor/plane.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "proto/common/log.h"
#include "proto/runtime/process/descriptors.h"
#include "proto/runtime/process/exit_code.h"
#include "proto/runtime/process/paths.h"

extern char** environ;

namespace sluice::supervisor {

namespace {

// A plane that ran this long has read its configuration and opened its ports.
constexpr Millis kWorks{5'000};

// A plane that takes no answers loses its link, instead of holding up the only process that could
// restart the other one.
constexpr timeval kAnswerPatience{1, 0};

}  // namespace

void Plane::become_program(int link) const {
  // A group of its own: Ctrl-C in a terminal reaches the supervisor alone, which drains in order.
  ::setpgid(0, 0);
  // The planes read these from a descriptor: one that comes before they do must wait, not kill.
  sigset_t blocked;
  ::sigemptyset(&blocked);
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) ::sigaddset(&blocked, number);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
  if (spec_.drop && !drop_privileges(spec_.privileges)) ::_exit(to_int(ExitCode::failure));
  if (!set_close_on_exec(link, false)) ::_exit(to_int(ExitCode::failure));
  std::vector<std::string> words{spec_.name};
  words.insert(words.end(), spec_.arguments.begin(), spec_.arguments.end());
  if (started_before_) words.insert(words.end(), spec_.again.begin(), spec_.again.end());
  words.insert(words.end(), {kOptionSupervisorFd, std::to_string(link)});
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = execute_descriptor(program_.get(), argv.data(), environ);
  SLUICE_LOG(error, "supervisor", "cannot start %s: %s", spec_.name.c_str(), std::strerror(error));
  ::_exit(to_int(ExitCode::failure));
}

Status Plane::start(Moment now) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  if (!pair) return fail(pair.error());
  if (::setsockopt(pair->ours.get(), SOL_SOCKET, SO_SNDTIMEO, &kAnswerPatience,
                   sizeof kAnswerPatience) != 0)
    return fail_errno(errno);
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno);
  if (child == 0) become_program(pair->theirs.get());
  started_before_ = true;
  pid_ = child;
  link_ = std::move(pair->ours);
  started_ = now;
  backoff_.started(now);
  SLUICE_LOG(info, "supervisor", "%s started, pid %d", spec_.name.c_str(), static_cast<int>(child));
  return {};
}

bool Plane::died(int wait_status, Moment now) {
  const bool signalled = WIFSIGNALED(wait_status);
  killed_ = signalled;
  exit_code_ = signalled ? to_int(ExitCode::failure) : WEXITSTATUS(wait_status);
  pid_ = -1;
  link_.reset();
  worked_ = worked_ || now - started_ >= kWorks;
  next_start_ = backoff_.died(now);
  if (!signalled && exit_code_ == to_int(ExitCode::ok)) {
    SLUICE_LOG(info, "supervisor", "%s ended", spec_.name.c_str());
  } else {
    SLUICE_LOG(warning, "supervisor", "%s ended by %s %d", spec_.name.c_str(),
               signalled ? "signal" : "exit code", signalled ? WTERMSIG(wait_status) : exit_code_);
  }
  return !worked_ && !signalled && is_permanent(exit_code_);
}

void Plane::signal(int number) const noexcept {
  if (pid_ > 0) (void)::kill(pid_, number);
}

}  // namespace sluice::supervisor
