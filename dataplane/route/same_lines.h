// route/same_lines.h - which lines of a manifest the one before it had as well.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/contract/manifest.h"

namespace sluice::route {

struct SameLine {
  std::uint32_t before;  ///< index in the rules of the manifest before
  std::uint32_t now;     ///< index in those of the new one
};

/// Lines are the same when list, type, payload and name of the target are; of equal ones the n-th
/// is the n-th. Both manifests have passed their checks. Time: linear up to the first line that
/// differs, n log n behind it; allocates 16 bytes for each line there.
[[nodiscard]] std::vector<SameLine> same_lines(const contract::Manifest& before,
                                               const contract::Manifest& now);

}  // namespace sluice::route
