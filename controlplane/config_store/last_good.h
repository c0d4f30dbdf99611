// config_store/last_good.h - the last configuration that the data plane took and that was to stay.
//
//   <home>/last-good.yaml   mode 0600: configurations hold passwords
//
// A control plane that is started again while its data plane runs, and finds a file that does not
// load, runs this one instead. What runs unsaved or unconfirmed never gets here: whatever ends the
// router also ends that. Blocks on the disk. Thread: one at a time.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "controlplane/config_store/store_error.h"

namespace sluice::config_store {

class LastGood {
 public:
  explicit LastGood(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Replaces it, unless it holds this text already. Errors: as replace_file.
  [[nodiscard]] Stored<void> keep(std::string_view text) const;
  /// Errors: as read_file.
  [[nodiscard]] Stored<std::string> text() const;

 private:
  std::string path_;
};

}  // namespace sluice::config_store
