#include "dataplane/flow/endpoint_index.h"

#include <sys/random.h>

#include "proto/common/clock.h"

namespace sluice::flow {

std::uint64_t table_seed() noexcept {
  std::uint64_t seed = 0;
  // A machine that has just booted may have no randomness yet: a clock is better than a constant.
  if (::getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
    seed = mix64(static_cast<std::uint64_t>(wall_ms()),
                 static_cast<std::uint64_t>(monotonic_now().ms));
  return seed;
}

}  // namespace sluice::flow
