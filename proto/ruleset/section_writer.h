// ruleset/section_writer.h - appends little-endian fields to a section under construction.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proto/ruleset/builder.h"

namespace sluice::ruleset {

class SectionWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void u16(std::uint16_t value) { le(value, 2); }
  void u32(std::uint32_t value) { le(value, 4); }
  void u64(std::uint64_t value) { le(value, 8); }
  void text(std::string_view value) {
    const ByteView view = as_byte_view(value);
    bytes_.insert(bytes_.end(), view.begin(), view.end());
  }
  void words(std::span<const std::uint32_t> values) {
    for (const std::uint32_t value : values) u32(value);
  }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  void le(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) u8(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  std::vector<std::byte> bytes_;
};

/// One section's bytes and its smallest position. Needs at least one line.
struct SectionBytes {
  std::vector<std::byte> bytes;
  std::uint32_t first_position = kNone;
};

[[nodiscard]] SectionBytes write_names(std::vector<Builder::NameLine> lines);
/// No bytes when no keyword can match.
[[nodiscard]] SectionBytes write_keywords(std::vector<Builder::KeywordLine> lines);
template <class Key>
[[nodiscard]] SectionBytes write_prefixes(std::vector<Builder::PrefixLine<Key>> lines);

extern template SectionBytes write_prefixes(std::vector<Builder::PrefixLine<std::uint32_t>>);
extern template SectionBytes write_prefixes(std::vector<Builder::PrefixLine<Key128>>);

}  // namespace sluice::ruleset
