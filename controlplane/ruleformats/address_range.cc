#include "controlplane/ruleformats/address_range.h"

#include <algorithm>
#include <array>
#include <bit>

#include "proto/common/cursor.h"

namespace sluice::ruleformats {
namespace {

/// An address as a number that can be counted on; IPv4 uses 32 bits of `low`.
struct Number {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  unsigned width = 0;

  explicit Number(const IpAddress& address) noexcept
      : width(static_cast<unsigned>(address.bytes().size()) * 8) {
    if (address.is_v4()) low = address.v4_value();
    if (!address.is_v6()) return;
    Reader in(address.bytes());
    high = in.u64be();
    low = in.u64be();
  }
  [[nodiscard]] IpAddress address() const noexcept {
    if (width == 32) return IpAddress::v4(static_cast<std::uint32_t>(low));
    std::array<std::byte, 16> bytes{};
    Writer out(bytes);
    out.u64be(high);
    out.u64be(low);
    return IpAddress::from_bytes(bytes);
  }
  [[nodiscard]] unsigned trailing_zeros() const noexcept {
    const int count = low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high);
    return std::min(static_cast<unsigned>(count), width);
  }
  /// With its `count` low bits set.
  [[nodiscard]] Number filled(unsigned count) const noexcept {
    Number out = *this;
    out.low |= ones(count);
    if (count > 64) out.high |= ones(count - 64);
    return out;
  }
  /// Plus one; the highest number becomes zero.
  [[nodiscard]] Number after() const noexcept {
    Number out = *this;
    out.low = (low + 1) & ones(width);
    if (out.low == 0 && width == 128) ++out.high;
    return out;
  }
  friend auto operator<=>(const Number&, const Number&) = default;

 private:
  static std::uint64_t ones(unsigned count) noexcept {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
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
  out.length = static_cast<std::uint8_t>(first.width - free_bits);
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
  return {prefix.base, base.filled(base.width - prefix.length).address()};
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
