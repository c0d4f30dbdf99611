// config_store/history.h - the last five configurations that were replaced, as files.
//
//   <home>/history/00000012-1764501956123.yaml      8+ digits: order   rest: when, wall clock, ms
//
// The order is a counter, because a router without a clock battery starts in 1970. Modes 0700 and
// 0600: configurations hold passwords. Names that do not fit the form are left alone.
// Blocks on the disk. Thread: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/config_store/store_error.h"

namespace sluice::config_store {

struct Version {
  std::uint64_t order = 0;
  std::int64_t saved_wall_ms = 0;
  std::string path;
  friend bool operator==(const Version&, const Version&) = default;
};

class History {
 public:
  /// `directory` is made at the first add.
  explicit History(std::string directory) : directory_(std::move(directory)) {}

  /// Newest first; at most kHistoryCount. An unreadable or absent directory has none.
  [[nodiscard]] std::vector<Version> list() const;
  /// Keeps `text` as the newest and drops what is beyond kHistoryCount. The same text as the newest
  /// one is not kept twice. Errors: no_directory, write_failed, too_large.
  [[nodiscard]] Stored<void> add(std::string_view text, std::int64_t wall_ms) const;

 private:
  std::string directory_;
};

}  // namespace sluice::config_store
