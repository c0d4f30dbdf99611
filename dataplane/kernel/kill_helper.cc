#include "dataplane/kernel/kill_helper.h"

#include <poll.h>

#include <csignal>

namespace sluice::kernel {

void kill_helper(int socket, pid_t pid) noexcept {
  pollfd state{socket, 0, 0};  // a hang-up is told unasked
  if (pid > 0 && ::poll(&state, 1, 0) == 0) ::kill(pid, SIGKILL);
}

}  // namespace sluice::kernel
