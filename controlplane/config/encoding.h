// config/encoding.h - is this text UTF-8?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controlplane/model/diagnostic.h"

namespace sluice::config {

struct EncodingFault {
  model::Position at;
  std::string problem;
  std::string remedy;
};

/// Drops a leading byte order mark from `text`. Returns what is wrong when the text is UTF-16,
/// holds a NUL, or is not well-formed UTF-8 (RFC 3629 section 4).
[[nodiscard]] std::optional<EncodingFault> check_encoding(std::string_view& text);

}  // namespace sluice::config
