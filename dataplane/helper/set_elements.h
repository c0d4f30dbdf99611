// helper/set_elements.h - set elements straight into netlink attributes, without an object each.
//
// A prefix in an interval set is two elements: its first address, and one past its last flagged as
// an end. A prefix that reaches the end of the address space has no end element.
// Thread: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "proto/common/address.h"
#include "proto/common/cursor.h"

struct nlmsghdr;

namespace sluice::nft {

/// An element's netlink size at most: nest, key nest, 16 bytes, flags, data nest, port.
inline constexpr std::size_t kElementBytes = 64;

/// One element of at most 16 key bytes.
struct Element {
  std::array<std::byte, 16> key{};
  std::uint8_t size = 0;
  bool interval_end = false;
  bool has_port = false;
  std::uint16_t port = 0;  ///< host byte order

  [[nodiscard]] static Element of(ByteView key) noexcept;
};

/// First and, unless the prefix ends the address space, end element. Returns how many (1 or 2).
std::size_t interval_of(const Prefix& prefix, std::array<Element, 2>& out) noexcept;

/// Appends the element to an open element list. Needs kElementBytes behind the message.
void put_element(nlmsghdr* message, const Element& element) noexcept;

}  // namespace sluice::nft
