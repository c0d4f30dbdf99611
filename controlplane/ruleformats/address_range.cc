#include "controlplane/ruleformats/address_range.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sluice::ruleformats {
namespace {

/// An address as a number that can be counted on: network order, 4 or 16 bytes in use.
struct Number {
  std::array<std::byte, 16> bytes{};
  std::size_t size = 0;

  explicit Number(const IpAddress& address) noexcept : size(address.bytes().size()) {
    if (size > 0) std::memcpy(bytes.data(), address.bytes().data(), size);
  }
  [[nodiscard]] unsigned width() const noexcept { return static_cast<unsigned>(size) * 8; }
  [[nodiscard]] IpAddress address() const noexcept {
    return IpAddress::from_bytes(ByteView(bytes).first(size));
  }
  [[nodiscard]] unsigned trailing_zeros() const noexcept {
    unsigned count = 0;
    for (std::size_t i = size; i-- > 0; count += 8) {
      const auto byte = std::to_integer<unsigned>(bytes[i]);
      if (byte != 0) return count + static_cast<unsigned>(__builtin_ctz(byte));
    }
    return count;
  }
  /// With its `count` low bits set.
  [[nodiscard]] Number filled(unsigned count) const noexcept {
    Number out = *this;
    for (std::size_t i = size; i-- > 0 && count > 0; count -= std::min(count, 8U))
      out.bytes[i] |= static_cast<std::byte>((1U << std::min(count, 8U)) - 1U);
    return out;
  }
  /// Plus one; the highest number becomes zero.
  [[nodiscard]] Number after() const noexcept {
    Number out = *this;
    for (std::size_t i = size; i-- > 0;) {
      out.bytes[i] = static_cast<std::byte>(std::to_integer<unsigned>(out.bytes[i]) + 1U);
      if (out.bytes[i] != std::byte{0}) break;
    }
    return out;
  }
  friend bool operator==(const Number&, const Number&) = default;
  friend auto operator<=>(const Number& a, const Number& b) noexcept { return a.bytes <=> b.bytes; }
};

}  // namespace

RangePrefixes::RangePrefixes(const AddressRange& range) noexcept
    : rest_(range),
      valid_(range.first.valid() && range.first.family() == range.last.family() &&
             range.first <= range.last),
      done_(!valid_) {}

bool RangePrefixes::next(Prefix& out) noexcept {
  if (done_) return false;
  const Number first(rest_.first);
  const Number last(rest_.last);
  unsigned free_bits = first.trailing_zeros();
  while (first.filled(free_bits) > last) --free_bits;
  const Number end = first.filled(free_bits);
  out.base = rest_.first;
  out.length = static_cast<std::uint8_t>(first.width() - free_bits);
  done_ = end == last;
  rest_.first = end.after().address();
  if (rest_.first.family() != out.base.family()) {
    // An IPv6 range reached the mapped addresses, which exist as IPv4 only: go on behind them.
    rest_.first = *IpAddress::parse("::1:0:0:0");
    done_ = done_ || rest_.first > rest_.last;
  }
  return true;
}

AddressRange to_range(const Prefix& prefix) noexcept {
  const Number base(prefix.base);
  return {prefix.base, base.filled(base.width() - prefix.length).address()};
}

std::vector<AddressRange> merge(const std::vector<Prefix>& prefixes) {
  std::vector<AddressRange> ranges;
  ranges.reserve(prefixes.size());
  for (const Prefix& prefix : prefixes) ranges.push_back(to_range(prefix));
  std::ranges::sort(ranges,
                    [](const AddressRange& a, const AddressRange& b) { return a.first < b.first; });
  std::size_t count = 0;
  for (const AddressRange& range : ranges) {
    if (count > 0) {
      AddressRange& before = ranges[count - 1];
      const bool same_family = before.first.family() == range.first.family();
      const Number end(before.last);
      const bool top = end.trailing_zeros() == 0 && end.after() < end;
      if (same_family && (top || range.first <= end.after().address())) {
        before.last = std::max(before.last, range.last);
        continue;
      }
    }
    ranges[count++] = range;
  }
  ranges.resize(count);
  return ranges;
}

}  // namespace sluice::ruleformats
