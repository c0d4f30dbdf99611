// ruleformats/address_range.h - ranges of addresses, as mrs and srs files hold them, and prefixes.
#pragma once

#include <vector>

#include "proto/common/address.h"

namespace sluice::ruleformats {

/// Both ends inclusive.
struct AddressRange {
  IpAddress first;
  IpAddress last;
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

/// Hands out the fewest prefixes that cover a range, in ascending order: at most 62 for IPv4 and
/// 254 for IPv6. A range whose ends are of different families, or in the wrong order, has none.
class RangePrefixes {
 public:
  explicit RangePrefixes(const AddressRange& range) noexcept;
  [[nodiscard]] bool valid() const noexcept { return valid_; }
  /// False when the range is used up.
  bool next(Prefix& out) noexcept;

 private:
  AddressRange rest_;
  bool valid_;
  bool done_;
};

/// The range of a prefix.
[[nodiscard]] AddressRange to_range(const Prefix& prefix) noexcept;
/// Ascending ranges, IPv4 first, that neither touch nor overlap and cover the same addresses.
[[nodiscard]] std::vector<AddressRange> merge(const std::vector<Prefix>& prefixes);

}  // namespace sluice::ruleformats
