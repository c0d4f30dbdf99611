// An empty pool of slices, for tests of what happens then.
#pragma once

#include "proto/runtime/buffer/slice_pool.h"

namespace sluice::test {

/// Gives every free block back: what lay free since the last look, and with the second call the
/// rest.
inline void empty_pool(SlicePool& pool) noexcept {
  pool.trim();
  pool.trim();
}

}  // namespace sluice::test
