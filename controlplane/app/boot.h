// app/boot.h - from the process that was started to the one that may serve: heap, directories,
// privileges, signals. Everything here runs on the main thread before there is another.
#pragma once

#include <optional>
#include <string>

#include "controlplane/app/options.h"
#include "proto/common/unique_fd.h"

namespace sluice::control_plane {

/// Few arenas and early trimming: idle memory is a budget (design section 7).
void keep_heap_small() noexcept;

/// Makes home and cp/ when they are missing (a start by hand; the supervisor makes them otherwise);
/// from here on new files are for our user alone, sockets excepted, which have modes of their own.
/// A sentence on failure.
[[nodiscard]] std::optional<std::string> make_directories(const Options& options);

/// As root: the wanted user with exactly CAP_NET_BIND_SERVICE. Else: our own uid and nothing. Then
/// the call filter. A sentence on failure; the process must then exit.
[[nodiscard]] std::optional<std::string> become_ourselves(const Options& options);

/// Blocks HUP, INT and TERM in this and all later threads and ignores PIPE. The descriptor reads
/// signalfd_siginfo; invalid when there is none.
[[nodiscard]] UniqueFd take_signals() noexcept;

}  // namespace sluice::control_plane
