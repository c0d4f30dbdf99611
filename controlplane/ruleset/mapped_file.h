// ruleset/mapped_file.h - a file of our own as read-only memory that belongs to the page cache.
//
// Only for files that nobody writes to once they have their name: shortening a mapped file ends
// the process that looks into it.
#pragma once

#include <cstddef>
#include <string>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::sets {

class MappedFile {
 public:
  /// A regular file of 1..`most` bytes. Errors: not_found, too_large, malformed (no regular file,
  /// or empty), system.
  static Result<MappedFile> open(const std::string& path, std::size_t most);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) = delete;
  ~MappedFile();

  [[nodiscard]] ByteView bytes() const noexcept { return bytes_; }

 private:
  explicit MappedFile(ByteView bytes) noexcept : bytes_(bytes) {}

  ByteView bytes_;
};

}  // namespace sluice::sets
