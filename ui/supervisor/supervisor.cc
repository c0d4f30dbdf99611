#include "ui/supervisor/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/common/log_writer.h"
#include "proto/runtime/process/exit_code.h"

namespace sluice::supervisor {

namespace {

/// SIGCHLD and the signals of the picture, as a descriptor.
UniqueFd open_signals() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : {SIGCHLD, SIGHUP, SIGINT, SIGTERM}) ::sigaddset(&wanted, number);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  return UniqueFd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

int Supervisor::run() {
  signals_ = open_signals();
  if (!signals_.valid()) return to_int(ExitCode::failure);
  const LogWriter log(STDERR_FILENO);  // whoever reads it must not hold up a restart
  for (;;) {
    const Moment now = monotonic_now();
    if (draining_) {
      advance_drain(now);
    } else {
      start_due(now);
    }
    if (finished()) return exit_code_;
    wait_for_events(now);
  }
}

bool Supervisor::finished() const noexcept {
  return draining_ && drained_ == kPlanes;
}

void Supervisor::start_due(Moment now) {
  for (Plane& plane : planes_) {
    if (plane.running() || plane.next_start() > now) continue;
    if (const Status status = plane.start(now); !status) {
      SLUICE_LOG(error, "supervisor", "cannot start %s: %s", plane.name().c_str(),
                 describe(status.error()).c_str());
      // As a death, so that the next try waits.
      (void)plane.died(to_int(ExitCode::failure) << 8, now);
    }
  }
}

Moment Supervisor::next_moment() const noexcept {
  if (draining_) return kill_at_;
  Moment next = Moment::never();
  for (const Plane& plane : planes_) {
    if (!plane.running()) next = std::min(next, plane.next_start());
  }
  return next;
}

void Supervisor::wait_for_events(Moment now) {
  const Moment next = next_moment();
  const int timeout = next == Moment::never()
                          ? -1
                          : static_cast<int>(std::max<std::int64_t>((next - now).count, 0));
  std::array<pollfd, 1 + kPlanes> wanted{pollfd{signals_.get(), POLLIN, 0}};
  for (std::size_t i = 0; i < kPlanes; ++i) wanted[1 + i] = {planes_[i].link(), POLLIN, 0};
  if (::poll(wanted.data(), wanted.size(), timeout) <= 0) return;
  for (std::size_t i = 0; i < kPlanes; ++i) {
    if (wanted[1 + i].revents != 0) serve_link(i);
  }
  if (wanted[0].revents != 0) take_signals();
}

void Supervisor::serve_link(std::size_t which) {
  Plane& plane = planes_[which];
  // The data plane has nothing to ask; its link only tells it that we live.
  const Status status =
      which == kControl ? config_.serve_one(plane.link()) : Status(fail(Errc::closed));
  if (!status) plane.close_link();
}

void Supervisor::take_signals() {
  signalfd_siginfo info{};
  bool children = false;
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    switch (info.ssi_signo) {
      case SIGCHLD:
        children = true;
        break;
      case SIGHUP:
        planes_[kControl].signal(SIGHUP);
        break;
      default:
        asked_to_stop(monotonic_now());
    }
  }
  if (children) reap(monotonic_now());
}

void Supervisor::asked_to_stop(Moment now) {
  if (!draining_) {
    asked_at_ = now;
    begin_drain(to_int(ExitCode::ok));
  } else if (now - asked_at_ >= kSecondAsk) {
    cleaned_ = true;  // who asks twice does not want to wait
    for (const Plane& plane : planes_) plane.signal(SIGKILL);
  }
}

void Supervisor::reap(Moment now) {
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0;
       pid = ::waitpid(-1, &status, WNOHANG)) {
    for (Plane& plane : planes_) {
      if (plane.pid() != pid) continue;
      if (plane.died(status, now) && !draining_) {
        SLUICE_LOG(error, "supervisor", "%s cannot work here; giving up", plane.name().c_str());
        begin_drain(plane.exit_code());
      }
    }
  }
}

void Supervisor::begin_drain(int exit_code) {
  draining_ = true;
  exit_code_ = exit_code;
  drained_ = 0;
  kill_at_ = Moment::never();
}

/// What a killed data plane left in the kernel (policy rules, a fail-closed guard) only another one
/// takes away: it is started once more, to be stopped in order.
bool Supervisor::start_to_clean(Moment now) {
  if (drained_ != kPlanes || cleaned_ || !planes_[kData].killed()) return false;
  cleaned_ = true;
  if (!planes_[kData].start(now)) return false;
  drained_ = kData;
  return true;
}

/// Asks the next plane to end, or kills the one that does not.
void Supervisor::advance_drain(Moment now) {
  while (drained_ < kPlanes && !planes_[drained_].running()) {
    kill_at_ = Moment::never();
    ++drained_;
    // With the control plane gone: it would give the new one its configuration.
    if (start_to_clean(now)) break;
  }
  if (drained_ == kPlanes) return;
  const Plane& plane = planes_[drained_];
  if (kill_at_ == Moment::never()) {
    plane.signal(SIGTERM);
    kill_at_ = now + kDrainTimeout;
  } else if (now >= kill_at_) {
    SLUICE_LOG(warning, "supervisor", "%s does not end; killed", plane.name().c_str());
    plane.signal(SIGKILL);
    kill_at_ = now + kDrainTimeout;
  }
}

}  // namespace sluice::supervisor
