#include "controlplane/model/rule_text/addresses.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "controlplane/model/bounds.h"
#include "controlplane/model/read/words.h"
#include "controlplane/model/rule_text/lists.h"
#include "proto/common/text.h"

namespace sluice::model::rule_text {
namespace {

/// The last `length` bits, the others zero.
IpAddress keep_end(const IpAddress& address, std::size_t length) noexcept {
  const ByteView bytes = address.bytes();
  std::array<std::byte, 16> kept{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t below = (bytes.size() - i - 1) * 8;  // bits that follow this byte
    const std::size_t mine = length > below ? std::min<std::size_t>(length - below, 8) : 0;
    kept[i] = bytes[i] & static_cast<std::byte>((1U << mine) - 1);
  }
  return IpAddress::from_bytes(std::span(kept).first(bytes.size()));
}

std::optional<MacAddress> mac_address(std::string_view text) noexcept {
  if (text.size() != 17 || (text[2] != ':' && text[2] != '-')) return std::nullopt;
  MacAddress out;
  for (std::size_t i = 0; i < 17; i += 3) {
    std::uint8_t byte = 0;
    const char* const end = text.data() + i + 2;
    if (std::from_chars(text.data() + i, end, byte, 16).ptr != end) return std::nullopt;
    if (i + 2 < 17 && text[i + 2] != text[2]) return std::nullopt;
    out.value = out.value << 8U | byte;
  }
  return out;
}

}  // namespace

Outcome read_ip_suffix(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view base = trim(text.substr(0, slash));
  const auto address = IpAddress::parse(base);
  if (address) {
    const std::size_t bits = address->is_v6() ? 128 : 32;
    // A mapped address is the IPv4 address in it, and has no more bits than that.
    const std::size_t most = base.find(':') == std::string_view::npos ? 32 : 128;
    const auto written =
        slash == std::string_view::npos ? most : parse_number(trim(text.substr(slash + 1)), most);
    if (written) {
      const auto length = std::min<std::size_t>(*written, bits);
      return IpSuffix{keep_end(*address, length), static_cast<std::uint8_t>(length)};
    }
  }
  return wrong(quote(text) + " is not the end of an address",
               "write for example 0.0.0.1/8: the last 8 bits are those of 0.0.0.1");
}

Outcome read_as_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 2 && iequals(digits.substr(0, 2), "AS")) digits.remove_prefix(2);
  const auto n = parse_number(digits, UINT32_MAX);
  if (!n) return wrong(quote(text) + " is not an AS number", "write for example 13335");
  return AsNumber{static_cast<std::uint32_t>(*n)};
}

Outcome read_mac_addresses(std::string_view text) {
  std::vector<MacAddress> out;
  std::string_view bad;
  const bool good = for_each_item(text, [&](std::string_view item) {
    if (out.size() > kMaxNames) return false;
    const auto mac = mac_address(item);
    if (mac) out.push_back(*mac);
    bad = item;
    return mac.has_value();
  });
  if (out.size() > kMaxNames) return too_many(kMaxNames, "addresses");
  if (!good)
    return wrong(quote(bad) + " is not a hardware address", "write for example 02:00:5e:10:00:01");
  return out;
}

}  // namespace sluice::model::rule_text
