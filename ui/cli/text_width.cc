#include "ui/cli/text_width.h"

#include <algorithm>
#include <array>

#include "proto/common/utf8.h"

namespace sluice::cli {
namespace {

struct Range {
  char32_t first, last;
};

// Unicode 15, general categories Mn, Me and Cf of the scripts that occur in names, and joiners.
constexpr std::array<Range, 16> kZero{{{0x0300, 0x036f},
                                       {0x0483, 0x0489},
                                       {0x0591, 0x05bd},
                                       {0x0610, 0x061a},
                                       {0x064b, 0x065f},
                                       {0x0e31, 0x0e31},
                                       {0x0e34, 0x0e3a},
                                       {0x0e47, 0x0e4e},
                                       {0x1ab0, 0x1aff},
                                       {0x1dc0, 0x1dff},
                                       {0x200b, 0x200f},
                                       {0x2028, 0x202e},
                                       {0x2060, 0x2064},
                                       {0x20d0, 0x20f0},
                                       {0xfe00, 0xfe0f},
                                       {0xfe20, 0xfe2f}}};

// East Asian Width W and F (UAX #11), and what terminals draw as emoji.
constexpr std::array<Range, 18> kWide{{{0x1100, 0x115f},
                                       {0x231a, 0x231b},
                                       {0x23e9, 0x23ec},
                                       {0x25fd, 0x25fe},
                                       {0x2614, 0x2615},
                                       {0x26a1, 0x26a1},
                                       {0x2705, 0x2705},
                                       {0x2728, 0x2728},
                                       {0x2e80, 0x303e},
                                       {0x3041, 0x33ff},
                                       {0x3400, 0x4dbf},
                                       {0x4e00, 0xa4cf},
                                       {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},
                                       {0x1f300, 0x1f9ff},
                                       {0x20000, 0x3fffd}}};

template <std::size_t size>
bool within(const std::array<Range, size>& ranges, char32_t c) noexcept {
  const auto at = std::ranges::lower_bound(ranges, c, {}, &Range::last);
  return at != ranges.end() && c >= at->first;
}

std::size_t width_of(char32_t c) noexcept {
  if (c < 0x300) return 1;
  if (within(kZero, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

}  // namespace

char32_t take_code_point(std::string_view& text) noexcept {
  const auto next = first_code_point(text);
  text.remove_prefix(next ? next->size : 1);
  return next ? next->value : kReplacement;
}

std::size_t text_width(std::string_view text) noexcept {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take_code_point(text));
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = take_code_point(text);
    const std::string_view bytes = before.substr(0, before.size() - text.size());
    // C0, DEL, C1, and the marks that reorder what follows.
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
                         (c >= 0x2066 && c <= 0x2069);
    if (control)
      out += '?';
    else if (c == kReplacement)
      out += kReplacementText;
    else
      out += bytes;
  }
  return out;
}

std::string truncate(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 1;  // the ellipsis
  std::string_view rest = text;
  std::size_t keep = 0;
  while (!rest.empty()) {
    used += width_of(take_code_point(rest));
    if (used > width) break;
    keep = text.size() - rest.size();
  }
  return std::string(text.substr(0, keep)) + "…";
}

}  // namespace sluice::cli
