// http/target.h - where a request wants to go (RFC 9112 section 3.2).
//
//   CONNECT host:port                  authority form, the port is required
//   METHOD http://host[:port]/path     absolute form, port 80 unless given
#pragma once

#include <string>
#include <string_view>

#include "proto/common/name.h"
#include "proto/common/result.h"

namespace sluice::http {

/// Errors: malformed (also port 0).
[[nodiscard]] Result<Destination> parse_authority(std::string_view target);

struct AbsoluteTarget {
  Destination to;
  std::string host;  ///< for the Host field: as written, without ":80" and without a user
  std::string path;  ///< origin form: path and query; "*" for OPTIONS without a path
};

/// Errors: malformed; unsupported (another scheme, or no scheme at all).
[[nodiscard]] Result<AbsoluteTarget> parse_absolute(std::string_view method,
                                                    std::string_view target);

}  // namespace sluice::http
