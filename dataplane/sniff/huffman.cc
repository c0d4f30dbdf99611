#include "dataplane/sniff/huffman.h"

#include <array>
#include <string_view>

namespace sluice::sniff {
namespace {

constexpr unsigned kMaxCode = 15;

/// Symbols in the order of their codes, and how many codes have 0, 1, … 15 bits.
constexpr std::string_view kSymbols(
    "012aceiost"
    " %-./3456789=A_bdfghlmnpru"
    ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"
    "&*,;XZ"
    "!\"()?"
    "'+|"
    "#>"
    "\0$@[]~"
    "^}"
    "<`{",
    95);
constexpr std::array<std::uint8_t, kMaxCode + 1> kCounts{0, 0, 0, 0, 0, 10, 26, 32,
                                                         6, 0, 5, 3, 2, 6,  2,  3};

struct Length {
  std::uint16_t first = 0;   // code
  std::uint16_t end = 0;     // code behind the last
  std::uint16_t symbol = 0;  // index of the first one's symbol
};

constexpr std::array<Length, kMaxCode + 1> lengths() noexcept {
  std::array<Length, kMaxCode + 1> out{};
  std::uint16_t code = 0;
  std::uint16_t symbol = 0;
  for (std::size_t size = 1; size < out.size(); ++size) {
    code = static_cast<std::uint16_t>(code << 1);
    out[size] = {code, static_cast<std::uint16_t>(code + kCounts[size]), symbol};
    code = out[size].end;
    symbol = static_cast<std::uint16_t>(symbol + kCounts[size]);
  }
  return out;
}
constexpr auto kLengths = lengths();
static_assert(kLengths[kMaxCode].symbol + kCounts[kMaxCode] == kSymbols.size());

}  // namespace

int HuffmanDecoder::feed(std::uint8_t byte, char (&out)[2]) noexcept {
  int count = 0;
  for (int bit = 7; bit >= 0; --bit) {
    code_ = code_ << 1 | (static_cast<unsigned>(byte) >> bit & 1U);
    if (++size_ > kMaxCode) return -1;
    const Length& length = kLengths[size_];
    if (code_ >= length.end || kCounts[size_] == 0) continue;
    out[count++] = kSymbols[length.symbol + (code_ - length.first)];
    code_ = 0;
    size_ = 0;
  }
  return count;
}

bool HuffmanDecoder::may_end() const noexcept {
  return size_ < 8 && code_ == (1U << size_) - 1;
}

}  // namespace sluice::sniff
