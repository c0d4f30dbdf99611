// common/error_text.h - sentences for errors, made where they are shown.
#pragma once

#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice {

/// A short phrase such as "the far side refused". Static storage.
[[nodiscard]] std::string_view describe(Errc code) noexcept;
/// describe(code) plus the errno text when there is one: "refused: Connection refused".
[[nodiscard]] std::string describe(const Error& error);

}  // namespace sluice
