// flow/named_port.h - a destination by name, as a key that is found without making a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/common/cursor.h"
#include "proto/common/hash.h"

namespace sluice::flow {

struct NamedPortView {
  std::string_view name;
  std::uint16_t port = 0;
  friend bool operator==(const NamedPortView&, const NamedPortView&) = default;
};

struct NamedPort {
  std::string name;
  std::uint16_t port = 0;
  [[nodiscard]] NamedPortView view() const noexcept { return {name, port}; }
  friend bool operator==(const NamedPort&, const NamedPort&) = default;
  friend bool operator==(const NamedPort& a, const NamedPortView& b) noexcept {
    return a.view() == b;
  }
};

struct NamedPortHash {
  using is_transparent = void;
  std::size_t operator()(const NamedPortView& v) const noexcept {
    return static_cast<std::size_t>(hash_bytes(as_byte_view(v.name), v.port));
  }
  std::size_t operator()(const NamedPort& v) const noexcept { return (*this)(v.view()); }
};

}  // namespace sluice::flow
