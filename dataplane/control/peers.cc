#include "dataplane/control/peers.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::control {
namespace {

constexpr int kNoDescriptorsPause_ms = 100;

}  // namespace

Peers::Peers(UniqueFd listener, std::vector<uid_t> allowed)
    : listener_(std::move(listener)),
      allowed_(std::move(allowed)),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Peers::~Peers() {
  join();
}

void Peers::start(Admit admit, std::function<void()> at_end) {
  thread_ = std::thread([this, admit = std::move(admit), at_end = std::move(at_end)] {
    run(admit);
    at_end();
  });
}

void Peers::stop() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(stop_.get(), &one, sizeof one);
}

void Peers::join() {
  if (thread_.joinable()) thread_.join();
}

/// False when it is time to stop.
bool Peers::wait(bool listening, int timeout_ms) const {
  std::array<pollfd, 2> ends{{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}}};
  ::poll(ends.data(), listening ? 2 : 1, timeout_ms);
  return ends[0].revents == 0;
}

void Peers::run(const Admit& admit) {
  while (wait(true, -1)) accept_one(admit);
}

void Peers::accept_one(const Admit& admit) {
  auto socket = accept_unix(listener_.get());
  if (!socket) {
    const Error error = socket.error();
    if (error.sys == EAGAIN || error.code == Errc::reset) return;
    SLUICE_LOG(error, "control", "step=accept %s", describe(error).c_str());
    // The connection stays in the backlog, so poll would return at once.
    (void)wait(false, kNoDescriptorsPause_ms);
    return;
  }
  const auto peer = peer_credentials(socket->get());
  if (!peer) return;
  if (std::ranges::find(allowed_, peer->uid) == allowed_.end()) {
    SLUICE_LOG(warning, "control", "step=accept uid=%u pid=%d refused", peer->uid, peer->pid);
    return;
  }
  admit(std::move(*socket), *peer);
}

}  // namespace sluice::control
