// http/basic_auth.h - Basic credentials (RFC 7617): "Basic " base64(user ":" password).
#pragma once

#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::http {

struct BasicCredentials {
  std::string user;
  std::string password;  ///< everything behind the first colon, any bytes
};

/// Errors: unsupported (another scheme), malformed.
[[nodiscard]] Result<BasicCredentials> parse_basic(std::string_view field_value);
/// "Basic …" for a field.
[[nodiscard]] std::string format_basic(std::string_view user, std::string_view password);

}  // namespace sluice::http
