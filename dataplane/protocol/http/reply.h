// http/reply.h - the proxy's own answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/transport/end.h"

namespace sluice::http {

struct Reply {
  std::uint16_t status = 400;  ///< one that reason_of() knows
  std::uint8_t minor = 1;      ///< the client's version
  bool close = true;
  bool with_body = true;    ///< false for HEAD and 407
  std::string_view detail;  ///< follows the reason in the body
};

/// "502 Bad Gateway": status and reason. Static storage.
[[nodiscard]] std::string_view reason_of(std::uint16_t status) noexcept;
/// A whole answer; a 407 asks for Basic credentials.
[[nodiscard]] std::string format_reply(const Reply& reply);
/// 403 by a rule, 504 when time ran out, 503 for lack of memory or descriptors here, else 502.
[[nodiscard]] std::uint16_t status_for(const Error& error) noexcept;

}  // namespace sluice::http
