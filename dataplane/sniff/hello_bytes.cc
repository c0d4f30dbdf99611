#include "dataplane/sniff/hello_bytes.h"

#include <algorithm>
#include <bit>

namespace sluice::sniff {
namespace {

/// `count` ones from bit `from` on; from + count <= 64, count > 0.
std::uint64_t ones(std::size_t from, std::size_t count) noexcept {
  return (~std::uint64_t{0} >> (64 - count)) << from;
}

}  // namespace

void HelloBytes::add(std::uint64_t offset, ByteView part) noexcept {
  if (offset >= kMaxHello) return;
  const auto begin = static_cast<std::size_t>(offset);
  const std::size_t end = begin + std::min(part.size(), kMaxHello - begin);
  std::ranges::copy(part.first(end - begin), bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
  for (std::size_t at = begin; at < end;) {
    const std::size_t count = std::min(end - at, kWord - at % kWord);
    present_[at / kWord] |= ones(at % kWord, count);
    at += count;
  }
}

ByteView HelloBytes::prefix() const noexcept {
  std::size_t size = 0;
  for (const std::uint64_t word : present_) {
    const auto run = static_cast<std::size_t>(std::countr_one(word));
    size += run;
    if (run < kWord) break;
  }
  return ByteView(bytes_).first(size);
}

}  // namespace sluice::sniff
