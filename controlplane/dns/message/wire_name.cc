#include "controlplane/dns/message/wire_name.h"

#include <algorithm>
#include <cstring>

#include "controlplane/dns/message/message.h"
#include "proto/common/text.h"

namespace sluice::dns {
namespace {

constexpr std::uint8_t kPointer = 0xc0;  // RFC 1035 section 4.1.4

std::byte lower(std::byte b) noexcept {
  // Length bytes are at most 63, below 'A', so the whole name can be mapped byte by byte.
  return static_cast<std::byte>(to_lower(static_cast<char>(b)));
}

}  // namespace

Result<WireName> WireName::from_text(std::string_view normal) noexcept {
  if (!is_normal_name(normal)) return fail(Errc::malformed);
  WireName out;
  std::size_t used = 0;
  while (!normal.empty()) {
    const std::string_view label = normal.substr(0, normal.find('.'));
    out.bytes_[used] = static_cast<std::byte>(label.size());
    std::memcpy(&out.bytes_[used + 1], label.data(), label.size());
    used += 1 + label.size();
    normal.remove_prefix(std::min(normal.size(), label.size() + 1));
  }
  out.bytes_[used] = std::byte{0};
  out.size_ = static_cast<std::uint8_t>(used + 1);
  return out;
}

WireName WireName::lowered() const noexcept {
  WireName out = *this;
  std::transform(bytes_.begin(), bytes_.begin() + size_, out.bytes_.begin(), lower);
  return out;
}

Result<NormalName> WireName::to_normal() const noexcept {
  NormalName out;
  std::size_t used = 0;
  for (std::size_t at = 0; bytes_[at] != std::byte{0};) {
    const auto length = std::to_integer<std::size_t>(bytes_[at]);
    if (used != 0) out.text[used++] = '.';
    for (std::size_t i = 1; i <= length; ++i) {
      const char c = to_lower(static_cast<char>(bytes_[at + i]));
      if (c == '.') return fail(Errc::malformed);
      out.text[used++] = c;
    }
    at += 1 + length;
  }
  out.size = static_cast<std::uint8_t>(used);
  if (!is_normal_name(out.view())) return fail(Errc::malformed);
  return out;
}

bool operator==(const WireName& a, const WireName& b) noexcept {
  return std::ranges::equal(a.bytes(), b.bytes(),
                            [](std::byte x, std::byte y) { return lower(x) == lower(y); });
}

Result<WireName> read_name(ByteView message, std::size_t& at) noexcept {
  WireName out;
  std::size_t used = 0;
  std::size_t position = at;
  std::size_t part = at;  // where the part that is being read began: pointers must lead before it
  bool jumped = false;
  for (;;) {
    if (position >= message.size()) return fail(Errc::truncated);
    const auto length = std::to_integer<std::uint8_t>(message[position]);
    if ((length & kPointer) == kPointer) {
      if (position + 1 >= message.size()) return fail(Errc::truncated);
      const std::size_t target = static_cast<std::size_t>(length & ~kPointer) << 8 |
                                 std::to_integer<std::size_t>(message[position + 1]);
      if (target >= part || target < kHeaderSize) return fail(Errc::malformed);
      if (!jumped) at = position + 2;
      jumped = true;
      position = part = target;
      continue;
    }
    if ((length & kPointer) != 0) return fail(Errc::malformed);
    const std::size_t take = std::size_t{1} + length;
    if (used + take > kMaxWireName) return fail(Errc::malformed);
    if (take > message.size() - position) return fail(Errc::truncated);
    std::memcpy(&out.bytes_[used], &message[position], take);
    used += take;
    position += take;
    if (length == 0) break;
  }
  out.size_ = static_cast<std::uint8_t>(used);
  if (!jumped) at = position;
  return out;
}

}  // namespace sluice::dns
