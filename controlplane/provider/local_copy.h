// provider/local_copy.h - the file of one provider on disk, and the record beside it.
//
//   <path>           the bytes that are in force, or were when we last ran
//   <path>.origin    Origin (origin.h)
//   <path>.broken    what was found at <path> and could not be used; the last one only
//
// Blocks on the disk. Thread: the work thread, one call at a time. Failures are sentences that name
// the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "controlplane/provider/origin.h"

namespace sluice::provider {

struct CopyError {
  enum class Fault : std::uint8_t { missing, too_large, failed };
  Fault fault = Fault::failed;
  std::string reason;
};
template <class T>
using Copied = std::expected<T, CopyError>;

class LocalCopy {
 public:
  explicit LocalCopy(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  struct Found {
    std::string bytes;
    Stamp stamp;
    std::optional<Origin> origin;  ///< only one that describes these bytes
  };
  /// Errors: missing, too_large (more than `most` bytes), failed.
  [[nodiscard]] Copied<Found> read(std::size_t most) const;

  /// The new bytes and their record, directories made where there are none. The bytes are replaced
  /// atomically; a record that cannot be written costs one full download later. Fills origin.copy.
  [[nodiscard]] Copied<void> store(std::string_view bytes, Origin& origin) const;

  /// Whether the file holds exactly `bytes`, and nobody wrote it since `stamp`.
  [[nodiscard]] bool holds(std::string_view bytes, const Stamp& stamp) const;

  /// The bytes stay; only the record changes.
  void record(const Origin& origin) const;

  /// Out of the way, so that it is neither used nor lost.
  [[nodiscard]] Copied<void> set_aside() const;

  /// Temporary files that a death left beside the copy.
  void clear_leftovers() const;

 private:
  [[nodiscard]] Copied<void> make_directories() const;
  [[nodiscard]] std::string origin_path() const { return path_ + ".origin"; }

  std::string path_;
};

}  // namespace sluice::provider
