// zoneinfo/places.h - where a system keeps its time zones.
//
//   named      /usr/share/zoneinfo, and where else musl looks
//   its own    TZ of the environment, or /etc/TZ, or /etc/localtime
//
// /etc/TZ is a link to /tmp/TZ on OpenWrt: one line, a POSIX TZ string, written from the `timezone`
// option of UCI unless the zone's file is installed. Its C library looks there before it looks at
// /etc/localtime, so we do, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proto/common/result.h"

namespace sluice::zoneinfo {

struct Places {
  std::vector<std::string> databases;   ///< directories, the first that has a zone counts
  std::string rule_file;                ///< one line: a POSIX TZ string, or a name
  std::string local_file;               ///< TZif
  std::optional<std::string> variable;  ///< TZ of the environment; none when it is unset
};

/// Those of this system. Reads the environment: TZ, and TZDIR as a first database.
[[nodiscard]] Places system_places();

/// The content of a regular file. Errors: not_found (or no regular file), denied, too_large,
/// system.
[[nodiscard]] Result<std::string> read_place(const std::string& path, std::size_t most);

}  // namespace sluice::zoneinfo
