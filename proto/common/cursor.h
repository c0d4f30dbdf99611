// common/cursor.h - sticky byte cursors for codecs: big-endian unless the name says `le`.
//
// Reader: reads past the end yield zeros and set short_read(), so decoding has no ladder of checks:
//
//   Reader in{wire};
//   Header h{in.u8(), in.u16be(), in.take(4)};
//   if (in.short_read()) return fail(Errc::truncated);
//
// Writer: writes past the end are dropped and set overflow(). Neither allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace sluice {

using ByteView = std::span<const std::byte>;
using ByteSpan = std::span<std::byte>;

[[nodiscard]] inline ByteView as_byte_view(std::string_view text) noexcept {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}
[[nodiscard]] inline std::string_view as_text(ByteView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Reader {
 public:
  explicit Reader(ByteView bytes) noexcept : rest_(bytes), size_(bytes.size()) {}

  std::uint8_t u8() noexcept { return static_cast<std::uint8_t>(be(1)); }
  std::uint16_t u16be() noexcept { return static_cast<std::uint16_t>(be(2)); }
  std::uint32_t u32be() noexcept { return static_cast<std::uint32_t>(be(4)); }
  std::uint64_t u64be() noexcept { return be(8); }
  std::uint16_t u16le() noexcept { return static_cast<std::uint16_t>(le(2)); }
  std::uint32_t u32le() noexcept { return static_cast<std::uint32_t>(le(4)); }
  std::uint64_t u64le() noexcept { return le(8); }

  /// The next `count` bytes as a view into the input; empty (and short) when fewer are left.
  ByteView take(std::size_t count) noexcept {
    if (count > rest_.size()) {
      short_ = true;
      rest_ = {};
      return {};
    }
    const ByteView out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return out;
  }
  void skip(std::size_t count) noexcept { take(count); }
  [[nodiscard]] ByteView rest() const noexcept { return rest_; }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }
  /// Bytes consumed so far; meaningless after a short read.
  [[nodiscard]] std::size_t position() const noexcept { return size_ - rest_.size(); }
  /// True once any read wanted more than there was. Stays true.
  [[nodiscard]] bool short_read() const noexcept { return short_; }

 private:
  std::uint64_t be(std::size_t count) noexcept {
    std::uint64_t value = 0;
    for (const std::byte b : take(count)) value = (value << 8) | std::to_integer<std::uint64_t>(b);
    return value;
  }
  std::uint64_t le(std::size_t count) noexcept {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const std::byte b : take(count)) {
      value |= std::to_integer<std::uint64_t>(b) << shift;
      shift += 8;
    }
    return value;
  }

  ByteView rest_;
  std::size_t size_;
  bool short_ = false;
};

class Writer {
 public:
  explicit Writer(ByteSpan room) noexcept : room_(room) {}

  void u8(std::uint8_t value) noexcept { be(value, 1); }
  void u16be(std::uint16_t value) noexcept { be(value, 2); }
  void u32be(std::uint32_t value) noexcept { be(value, 4); }
  void u64be(std::uint64_t value) noexcept { be(value, 8); }
  void u16le(std::uint16_t value) noexcept { le(value, 2); }
  void u32le(std::uint32_t value) noexcept { le(value, 4); }
  void u64le(std::uint64_t value) noexcept { le(value, 8); }
  void bytes(ByteView value) noexcept {
    if (!fits(value.size())) return;
    if (!value.empty()) std::memcpy(room_.data() + used_, value.data(), value.size());
    used_ += value.size();
  }
  void text(std::string_view value) noexcept { bytes(as_byte_view(value)); }

  [[nodiscard]] std::size_t size() const noexcept { return used_; }
  [[nodiscard]] ByteView written() const noexcept { return ByteView(room_).first(used_); }
  /// True once a write did not fit. Nothing after it was written.
  [[nodiscard]] bool overflow() const noexcept { return overflow_; }

 private:
  bool fits(std::size_t count) noexcept {
    if (overflow_ || count > room_.size() - used_) overflow_ = true;
    return !overflow_;
  }
  void be(std::uint64_t value, std::size_t count) noexcept {
    if (!fits(count)) return;
    for (std::size_t i = 0; i < count; ++i)
      room_[used_ + i] = static_cast<std::byte>(value >> (8 * (count - 1 - i)));
    used_ += count;
  }
  void le(std::uint64_t value, std::size_t count) noexcept {
    if (!fits(count)) return;
    for (std::size_t i = 0; i < count; ++i)
      room_[used_ + i] = static_cast<std::byte>(value >> (8 * i));
    used_ += count;
  }

  ByteSpan room_;
  std::size_t used_ = 0;
  bool overflow_ = false;
};

}  // namespace sluice
