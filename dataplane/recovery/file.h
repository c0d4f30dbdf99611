// recovery/file.h - reading and replacing whole files of the run directory.
#pragma once

#include <string>
#include <vector>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::recovery {

/// A file mapped for reading; move-only. Nobody shortens it meanwhile (the folder is ours alone).
class MappedFile {
 public:
  /// Errors: not_found, system. An empty file has no bytes.
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();
  [[nodiscard]] ByteView bytes() const noexcept { return bytes_; }

 private:
  MappedFile() = default;
  ByteView bytes_;
};

/// Replaces `path` by the pieces, whole or not at all (a temporary file and a rename). Not
/// common/whole_file: a manifest is up to 64 MiB in pieces that nobody puts together, and files
/// that end with the machine need no fsync, which would hold up heartbeats.
[[nodiscard]] Status replace_file(const std::string& path, const std::vector<ByteView>& pieces);

/// Renames a damaged file to `path` + ".damaged", replacing an older one.
void move_aside(const std::string& path) noexcept;

}  // namespace sluice::recovery
