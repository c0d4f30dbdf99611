// supervisor/config_file.h - the supervisor's half of supervisor_link.h: the one file it knows.
#pragma once

#include <string>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice::supervisor {

class ConfigFile {
 public:
  /// `path` is absolute and resolved.
  explicit ConfigFile(std::string path) : path_(std::move(path)) {}

  /// The file as it is now. Errors: the errno of open.
  [[nodiscard]] Result<UniqueFd> open() const;

  /// Puts what the regular file `content` holds, from its start, in the place of our file
  /// (whole_file.h). Errors: invalid (not a regular file), too_large, or the errno; our file is
  /// untouched then.
  [[nodiscard]] Status replace(int content) const;

  /// Reads one request from `socket` and answers it. Errors: closed (end of file), or a request
  /// that is none: the caller closes the link.
  [[nodiscard]] Status serve_one(int socket) const;

 private:
  std::string path_;
};

}  // namespace sluice::supervisor
