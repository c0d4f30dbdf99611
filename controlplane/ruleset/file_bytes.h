// ruleset/file_bytes.h - a file of a source: which one it is, and its bytes.
//
// Read into memory, never mapped: whoever cuts a mapped file short ends the process that looks into
// it. Blocks on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "proto/common/unique_fd.h"

namespace sluice::sets {

/// Which content of a path is meant. Two equal ones are the same bytes, but for writers that are
/// faster than the clock of the file system (file_records.h).
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  ///< since 1970
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

class FileBytes {
 public:
  /// A regular file of at most `most` bytes. Errors: a sentence that names the file.
  static std::expected<FileBytes, std::string> open(const std::string& path, std::size_t most);

  [[nodiscard]] const FileStamp& stamp() const noexcept { return stamp_; }
  /// All of it, as large as it was when it was opened. Errors: likewise.
  [[nodiscard]] std::expected<std::string, std::string> read() const;

 private:
  FileBytes(std::string path, UniqueFd fd, const FileStamp& stamp)
      : path_(std::move(path)), fd_(std::move(fd)), stamp_(stamp) {}

  std::string path_;
  UniqueFd fd_;
  FileStamp stamp_;
};

}  // namespace sluice::sets
