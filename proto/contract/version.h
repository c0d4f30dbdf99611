// contract/version.h - which contract versions talk to each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::contract {

inline constexpr std::uint32_t kVersion = 1;
/// The data plane accepts this version and everything up to kVersion (the previous one, once there
/// is one), so that the planes can be upgraded one after the other.
inline constexpr std::uint32_t kOldestVersion = 1;

/// SHA-256 of a blob's bytes: the name under which it is sent, kept and referred to.
using Digest = std::array<std::byte, 32>;

}  // namespace sluice::contract
