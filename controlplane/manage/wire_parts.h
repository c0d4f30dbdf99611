// manage/wire_parts.h - steps that the translation of every message takes.
#pragma once

#include <string>
#include <string_view>

#include "proto/common/utf8.h"

namespace sluice::manage {

/// One side's enumeration as the other's; that the two have the same order is asserted beside each
/// use.
template <class To, class From>
[[nodiscard]] To same(From value) {
  return static_cast<To>(static_cast<int>(value));
}

/// protobuf refuses strings that are not UTF-8, and with them the whole message; a name that a
/// client sent is shown with its odd bytes replaced instead.
[[nodiscard]] inline std::string utf8(std::string_view in) {
  return valid_utf8(in);
}

}  // namespace sluice::manage
