#include "controlplane/app/signals.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace sluice::control_plane {

Result<std::unique_ptr<SignalWatch>> SignalWatch::make(Loop& home, UniqueFd signals,
                                                       std::function<void(int)> came) {
  std::unique_ptr<SignalWatch> out(new SignalWatch(std::move(came)));
  auto watch = Watch::make(home, std::move(signals));
  if (!watch) return fail(watch.error());
  out->watch_ = std::move(*watch);
  out->watch_->set_sink(out.get());
  return out;
}

void SignalWatch::on_ready() noexcept {
  signalfd_siginfo info{};
  while (::read(watch_->fd(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    came_(static_cast<int>(info.ssi_signo));
  watch_->clear_readable();
}

Result<std::unique_ptr<OrphanWatch>> OrphanWatch::make(Loop& home, int socket,
                                                       std::function<void()> gone) {
  UniqueFd copy(::fcntl(socket, F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return fail_errno(errno);
  std::unique_ptr<OrphanWatch> out(new OrphanWatch(std::move(gone)));
  auto watch = Watch::make(home, std::move(copy));
  if (!watch) return fail(watch.error());
  out->watch_ = std::move(*watch);
  out->watch_->set_sink(out.get());
  return out;
}

void OrphanWatch::on_ready() noexcept {
  if (watch_->hung_up()) gone_();
}

}  // namespace sluice::control_plane
