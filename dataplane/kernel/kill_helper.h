// kernel/kill_helper.h - the end of a helper that does not answer.
//
// End of file is not enough for one that is stalled: it keeps what it has (sluice-nft its table)
// until it wakes, and then first runs what is queued.
#pragma once

#include <sys/types.h>

namespace sluice::kernel {

/// Kills `pid`, the helper at the other end of `socket`. No effect when that end is closed: the
/// helper has ended, and its number may be another process's by now; nor for a `pid` of -1.
void kill_helper(int socket, pid_t pid) noexcept;

}  // namespace sluice::kernel
