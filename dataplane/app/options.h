// app/options.h - the command line of sluice-dataplane (names: proto/runtime/process/paths.h).
#pragma once

#include <sys/types.h>

#include <expected>
#include <string>

namespace sluice::app {

struct Options {
  std::string run_dir;     ///< dp/ of the run directory; exists and is ours
  uid_t control_uid = 0;   ///< the only uid that may use contract.sock and dial.sock
  gid_t control_gid = 0;   ///< group of both sockets
  std::string user;        ///< become this user; empty = stay who we are
  std::string helper_dir;  ///< where sluice-nft is; empty = beside this program
  int supervisor_fd = -1;  ///< end of file on it: drain and exit
  unsigned workers = 0;    ///< 0 = one per core
  bool help = false;
  bool version = false;
};

/// The error is a sentence for the user.
[[nodiscard]] std::expected<Options, std::string> parse_options(int argc, char** argv);
/// Text of --help.
[[nodiscard]] const char* usage() noexcept;

}  // namespace sluice::app
