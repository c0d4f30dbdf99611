// app/config_source.h - where the user's file comes from and who replaces it.
//
//   under the supervisor   both over SupervisorLink: the file may lie where we cannot reach
//   started by hand        both by path, with our own rights
//
// Thread: one at a time (main at start, then the work thread). Calls block.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "controlplane/config_store/file_replacer.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/process/supervisor_link.h"

namespace sluice::control_plane {

class ConfigSource final : public config_store::FileReplacer {
 public:
  /// `supervisor` may be empty.
  ConfigSource(std::string path, UniqueFd supervisor);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// The whole file. Errors: as read_file.
  [[nodiscard]] config_store::Stored<std::string> read();

  [[nodiscard]] config_store::Stored<void> probe(const std::string& path) override;
  [[nodiscard]] config_store::Stored<void> replace(const std::string& path,
                                                   std::string_view content) override;

 private:
  std::string path_;
  std::unique_ptr<SupervisorLink> link_;
  config_store::LocalReplacer local_;
};

}  // namespace sluice::control_plane
