// config_store/file_replacer.h - who replaces the user's file.
//
// The control plane runs as user `sluice` and must not write root's files. Under the supervisor it
// asks that over its socketpair to put the new content in place; on its own (one user runs all) it
// does so itself. Both answer to this interface. Calls block; make them on a thread that may wait.
#pragma once

#include <string>
#include <string_view>

#include "controlplane/config_store/store_error.h"

namespace sluice::config_store {

class FileReplacer {
 public:
  FileReplacer() = default;
  FileReplacer(const FileReplacer&) = delete;
  FileReplacer& operator=(const FileReplacer&) = delete;
  virtual ~FileReplacer() = default;
  /// Would replace() be let in now? Asked before anything is applied.
  [[nodiscard]] virtual Stored<void> probe(const std::string& path) = 0;
  /// Atomic: the file has the old content or the new one. Errors as replace_file.
  [[nodiscard]] virtual Stored<void> replace(const std::string& path, std::string_view content) = 0;
};

/// Replaces with the caller's own rights.
class LocalReplacer final : public FileReplacer {
 public:
  [[nodiscard]] Stored<void> probe(const std::string& path) override;
  [[nodiscard]] Stored<void> replace(const std::string& path, std::string_view content) override;
};

}  // namespace sluice::config_store
