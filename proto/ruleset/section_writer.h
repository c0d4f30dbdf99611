// ruleset/section_writer.h - appends little-endian fields to a section under construction.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proto/common/cursor.h"

namespace sluice::ruleset {

class SectionWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void u16(std::uint16_t value) { le<2>(value); }
  void u32(std::uint32_t value) { le<4>(value); }
  void u64(std::uint64_t value) { le<8>(value); }
  void text(std::string_view value) {
    const ByteView view = as_byte_view(value);
    bytes_.insert(bytes_.end(), view.begin(), view.end());
  }
  void words(std::span<const std::uint32_t> values) {
    bytes_.reserve(bytes_.size() + 4 * values.size());
    for (const std::uint32_t value : values) u32(value);
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  template <unsigned Count>
  void le(std::uint64_t value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + Count);
    for (unsigned i = 0; i < Count; ++i) bytes_[at + i] = static_cast<std::byte>(value >> (8 * i));
  }
  std::vector<std::byte> bytes_;
};

}  // namespace sluice::ruleset
