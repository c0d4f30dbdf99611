// config/bounds.h - bounds that keep a hostile or broken file from using up the machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/common/config_size.h"

namespace sluice::config {

struct Bounds {
  /// Largest text. A subscription of 10,000 nodes is about 3 MiB.
  std::size_t bytes = kMaxConfigBytes;
  /// Nodes with every alias counted as often as it is used: a billion laughs stops here. The same
  /// 10,000 nodes with 20 keys each are 210,000.
  std::uint64_t nodes = 1'000'000;
  /// Nesting, aliases included. Deepest in the field: 8 (vless with xhttp download settings).
  std::uint32_t depth = 64;
};

}  // namespace sluice::config
