// provider/intake.h - the steps of a provider that block: read, let the consumer judge, store.
//
// Thread: the work thread; so no state of the provider, only values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "controlplane/provider/consumer.h"
#include "controlplane/provider/local_copy.h"
#include "controlplane/provider/origin.h"

namespace sluice::provider {

/// What a file on disk came to. The bytes themselves are gone.
struct ReadIn {
  Copied<LocalCopy::Found> found;
  Accepted accepted;
  Copied<void> moved_aside;  ///< only where take_in_copy() tried

  [[nodiscard]] bool usable() const noexcept { return found && accepted; }
  /// It is there, and never will do: not acceptable, or larger than allowed.
  [[nodiscard]] bool broken() const noexcept {
    return found ? !accepted : found.error().fault == CopyError::Fault::too_large;
  }
  /// Why it is not usable. Names the file.
  [[nodiscard]] std::string reason(const std::string& path) const;
};

/// The user's file.
[[nodiscard]] ReadIn take_in_file(const LocalCopy& file, std::size_t most, Consumer& consumer);
/// Our copy: a broken one is moved aside.
[[nodiscard]] ReadIn take_in_copy(const LocalCopy& copy, std::size_t most, Consumer& consumer);

/// Where the bytes in force are.
enum class Place : std::uint8_t {
  copy,    ///< on disk
  memory,  ///< the consumer holds them; the copy, if there is one, has older ones
};

/// What new bytes came to.
struct TakenIn {
  bool same = false;  ///< as those in force, in the copy: neither judged nor written
  Accepted accepted;
  Copied<void> stored;  ///< where it failed, the consumer holds the bytes
  Origin origin;        ///< of what is in force now, if all went well
};

/// `origin` describes `bytes`, but for `copy` and `changed_ms`, which are those of what is in
/// force at `place`.
[[nodiscard]] TakenIn take_in_download(const LocalCopy& copy, std::string_view bytes, Origin origin,
                                       Place place, Consumer& consumer);

}  // namespace sluice::provider
