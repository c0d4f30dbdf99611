// common/whole_file.h - small files as a whole: read within a bound, replace so that a reader sees
// the old or the new content.
//
//   <dir>/.<name>.XXXXXX   write, fchmod, fchown, fsync
//           └── rename ──> <dir>/<name>, fsync <dir>
//
// The new file has mode and owner of the one it replaces. A symbolic link stays one: what it points
// to is replaced. A failure on the way leaves the old file and no temporary one.
// Blocks on the disk. Thread: any; two calls for one path must not overlap.
#pragma once

#include <sys/types.h>

#include <expected>
#include <string>
#include <string_view>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice {

/// From the descriptor's position to its end. Errors: too_large (more than `most` bytes; sys is
/// EFBIG), system.
[[nodiscard]] Result<std::string> read_whole(int fd, std::size_t most);

/// Writes all of `content` at the descriptor's position. Errors: no_room, system.
[[nodiscard]] Status write_whole(int fd, std::string_view content) noexcept;

enum class ReplaceFault : std::uint8_t {
  read_only,     ///< no write permission on the file, or a read-only file system
  other_owner,   ///< it belongs to another user, whose ownership we could not keep
  no_directory,  ///< its directory does not let us make files
  write_failed,  ///< anything else on the way to the new content
};
struct ReplaceError {
  ReplaceFault fault = ReplaceFault::write_failed;
  int sys = 0;  ///< errno, never 0
};
using Replaced = std::expected<void, ReplaceError>;

/// `mode_if_new` counts when `path` does not exist yet.
[[nodiscard]] Replaced replace_file(const std::string& path, std::string_view content,
                                    mode_t mode_if_new = 0600);
/// For whoever acts for the file's owner: one without write permission is replaced as well, and one
/// whose owner we cannot keep becomes ours. Errors: no_directory, write_failed.
[[nodiscard]] Replaced replace_file_for_owner(const std::string& path, std::string_view content);
/// replace_file() for content that is made piece by piece. Ended without commit(), it leaves the
/// old file and no temporary one. Move-only.
class FileReplacement {
 public:
  /// Errors: as replace_file.
  static std::expected<FileReplacement, ReplaceError> begin(const std::string& path,
                                                            mode_t mode_if_new = 0600);
  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&& other) noexcept;
  ~FileReplacement();

  /// Errors: no_room, system.
  Status write(std::string_view piece) noexcept { return write_whole(fd_.get(), piece); }
  /// The new content is there. Once. Errors: write_failed.
  [[nodiscard]] Replaced commit();

 private:
  friend struct ReplacementMaker;
  FileReplacement() = default;
  void abandon() noexcept;

  std::string path_;
  std::string directory_;
  std::string temporary_;  ///< empty: committed, or moved from
  UniqueFd fd_;
};

/// Would replace_file be let in now? Same errors, changes nothing.
[[nodiscard]] Replaced may_replace(const std::string& path);

}  // namespace sluice
