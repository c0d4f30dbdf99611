// process/syscall_lists.h - the lists behind the filters. A name that this libseccomp or this
// architecture does not know is skipped.
#pragma once

#include <span>

namespace sluice::syscall_lists {

/// Memory, time, signals, waiting, identity: what the C library itself and any loop need.
[[nodiscard]] std::span<const char* const> base() noexcept;
/// Messages over descriptors that are open already.
[[nodiscard]] std::span<const char* const> messages() noexcept;
/// New sockets and pipes and their options; socket(2) itself is filtered by address family.
[[nodiscard]] std::span<const char* const> network() noexcept;
/// Opening, reading directories, renaming, locking, syncing.
[[nodiscard]] std::span<const char* const> files() noexcept;
/// Listing a folder that is open, and reading links.
[[nodiscard]] std::span<const char* const> folders() noexcept;
/// Starting and reaping processes, execveat excepted.
[[nodiscard]] std::span<const char* const> processes() noexcept;
/// Start of a dynamically linked program, and laying down further privileges and filters.
[[nodiscard]] std::span<const char* const> program_start() noexcept;
/// Never needed by any of us: a call means that somebody else is at the wheel.
[[nodiscard]] std::span<const char* const> deadly() noexcept;

}  // namespace sluice::syscall_lists
