// ruleset/section_reader.h - cuts a section into its arrays; sticks on the first that does not fit.
#pragma once

#include <cstdint>

#include "proto/common/cursor.h"
#include "proto/ruleset/format.h"

namespace sluice::ruleset {

class SectionReader {
 public:
  explicit SectionReader(ByteView section) noexcept : in_(section) {}

  std::uint32_t u32() noexcept { return in_.u32le(); }
  std::uint64_t u64() noexcept { return in_.u64le(); }
  /// `count` items of `item_size` bytes. The product cannot overflow: 2^32 items of < 2^32 bytes.
  ByteView array(std::uint32_t count, std::uint32_t item_size) noexcept {
    const std::uint64_t size = static_cast<std::uint64_t>(count) * item_size;
    // A 32-bit machine must not cut the size down to one that fits.
    return in_.take(size > in_.left() ? in_.left() + 1 : static_cast<std::size_t>(size));
  }
  Words words(std::uint32_t count) noexcept { return Words(array(count, 4)); }
  [[nodiscard]] std::size_t position() const noexcept { return in_.position(); }
  /// Everything fitted and nothing is left over.
  [[nodiscard]] bool complete() const noexcept { return !in_.short_read() && in_.left() == 0; }

 private:
  Reader in_;
};

}  // namespace sluice::ruleset
