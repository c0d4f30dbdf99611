#include "proto/common/utf8.h"

#include <array>

namespace sluice {

std::optional<CodePoint> first_code_point(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return CodePoint{lead, 1};
  if (lead < 0xc2 || lead > 0xf4) return std::nullopt;
  const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (size > text.size()) return std::nullopt;
  char32_t value = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return std::nullopt;
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[size] || value > 0x10ffff || surrogate) return std::nullopt;
  return CodePoint{value, size};
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_code_point(text);
    const std::size_t size = next ? next->size : 1;
    out += next ? text.substr(0, size) : kReplacementText;
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace sluice
