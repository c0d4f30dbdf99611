// app/options.h - the command line of sluice-controlplane (names: proto/runtime/process/paths.h).
#pragma once

#include <expected>
#include <string>

#include "controlplane/app/set_sources.h"

namespace sluice::control_plane {

struct Options {
  std::string config;      ///< the user's file; absolute
  std::string home;        ///< stores, history; relative paths of the configuration start here
  std::string run_dir;     ///< holds dp/ and cp/
  std::string user;        ///< become this user; empty = stay who we are
  int supervisor_fd = -1;  ///< supervisor_link.h; -1 = started by hand
  bool restarted = false;  ///< not the first start under this supervisor
  std::string check;       ///< only judge standard input, called this in diagnostics
  bool help = false;
  bool version = false;
};

/// The error is a sentence for the user.
[[nodiscard]] std::expected<Options, std::string> parse_options(int argc, char** argv);
/// Where files of the configuration may lie; SAFE_PATHS and SKIP_SAFE_PATH_CHECK are read.
[[nodiscard]] FilePlaces file_places(const Options& options);
/// Text of --help.
[[nodiscard]] const char* usage() noexcept;

}  // namespace sluice::control_plane
