// config_store/store_error.h - why a configuration could not be read, kept or replaced.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace sluice::config_store {

enum class StoreFault : std::uint8_t {
  read_failed,   ///< `path` cannot be read
  read_only,     ///< `path` has no write permission, or lies on a read-only file system
  other_owner,   ///< `path` belongs to another user, whose ownership we could not keep
  no_directory,  ///< the directory of `path` does not let us make files
  write_failed,  ///< anything else on the way to the new content; the old one is untouched
  too_large,     ///< above kMaxConfigBytes
  no_version,    ///< no such earlier version
  not_pending,   ///< nothing waits to be confirmed
};

struct StoreError {
  StoreFault fault = StoreFault::write_failed;
  std::string path;
  int sys = 0;  ///< errno, or 0
  friend bool operator==(const StoreError&, const StoreError&) = default;
};

/// One sentence that names the fix.
[[nodiscard]] std::string describe(const StoreError& error);

template <class T>
using Stored = std::expected<T, StoreError>;

[[nodiscard]] inline std::unexpected<StoreError> store_fail(StoreFault fault, std::string path,
                                                            int sys = 0) {
  return std::unexpected<StoreError>(StoreError{fault, std::move(path), sys});
}

}  // namespace sluice::config_store
