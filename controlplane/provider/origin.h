// provider/origin.h - what is remembered of a downloaded copy: from where, which version, when.
//
// A small text file beside the copy, mode 0600, format in docs/formats/home-directory.md. It is
// about one file of one moment: when size or modification time of the copy differ, somebody else
// wrote it, and the record does not count. Pure functions. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controlplane/provider/fetcher.h"

namespace sluice::provider {

/// Which content of the copy is meant.
struct Stamp {
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  ///< mtime, since 1970
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

struct Origin {
  std::string url_digest;       ///< of the mirror: addresses may hold secrets
  std::int64_t checked_ms = 0;  ///< wall clock: last time it was known to be current
  std::int64_t changed_ms = 0;  ///< wall clock: when these bytes came
  Stamp copy;
  Validators validators;
  friend bool operator==(const Origin&, const Origin&) = default;
};

[[nodiscard]] std::string url_digest(std::string_view url);
[[nodiscard]] std::string to_text(const Origin& origin);
/// Nothing when it is no such text, or an incomplete one. Unknown lines are skipped.
[[nodiscard]] std::optional<Origin> parse_origin(std::string_view text);

}  // namespace sluice::provider
