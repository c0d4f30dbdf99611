// config_store/atomic_file.h - replace a file so that a reader sees the old or the new content.
//
//   <dir>/.<name>.XXXXXX   write, fchmod, fchown, fsync
//           └── rename ──> <dir>/<name>, fsync <dir>
//
// The new file has mode and owner of the one it replaces. A symbolic link stays one: what it points
// to is replaced. A failure on the way leaves the old file and no temporary one.
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

}  // namespace sluice::config_store
