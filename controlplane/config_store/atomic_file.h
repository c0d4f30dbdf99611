// config_store/atomic_file.h - whole_file.h for configurations: bounded, and with errors that name
// the file.
//
// Blocks on the disk. Thread: any; two calls for one path must not overlap.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "controlplane/config_store/store_error.h"

namespace sluice::config_store {

/// Errors: read_only, other_owner, no_directory, write_failed, too_large. `mode_if_new` counts when
/// `path` does not exist yet.
[[nodiscard]] Stored<void> replace_file(const std::string& path, std::string_view content,
                                        mode_t mode_if_new = 0600);

/// Would replace_file be let in now? Same errors, changes nothing.
[[nodiscard]] Stored<void> may_replace(const std::string& path);

/// The whole file. Errors: read_failed, too_large.
[[nodiscard]] Stored<std::string> read_file(const std::string& path);
/// The same of a descriptor that was opened for us; `path` is for the error.
[[nodiscard]] Stored<std::string> read_file(int fd, const std::string& path);

}  // namespace sluice::config_store
