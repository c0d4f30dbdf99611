// common/config_size.h - how large a configuration may be, in every program that holds one.
#pragma once

#include <cstddef>

namespace sluice {

/// The largest of the field, with all nodes inline, are below 3 MB. It also bounds what a
/// management message may hold.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{8} << 20;

}  // namespace sluice
