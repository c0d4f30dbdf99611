#include "controlplane/ruleformats/mmdb_value.h"

namespace sluice::ruleformats {
namespace {

std::uint64_t read_number(Reader& in, unsigned count) noexcept {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < count; ++i) out = out << 8U | in.u8();
  return out;
}

/// Sizes of 29 and more: what the first byte leaves out, and bytes that follow.
std::uint32_t read_size(Reader& in, unsigned low) noexcept {
  switch (low) {
    case 29:
      return 29 + static_cast<std::uint32_t>(read_number(in, 1));
    case 30:
      return 285 + static_cast<std::uint32_t>(read_number(in, 2));
    case 31:
      return 65'821 + static_cast<std::uint32_t>(read_number(in, 3));
    default:
      return low;
  }
}

/// Pointers: size(2 bits) value(3 bits), then 1 to 4 bytes.
std::uint64_t read_target(Reader& in, unsigned low) noexcept {
  const std::uint64_t top = low & 7U;
  switch (low >> 3U) {
    case 0:
      return (top << 8U) + read_number(in, 1);
    case 1:
      return (top << 16U) + read_number(in, 2) + 2048;
    case 2:
      return (top << 24U) + read_number(in, 3) + 526'336;
    default:
      return read_number(in, 4);
  }
}

bool holds_bytes(MmdbType type) noexcept {
  return type != MmdbType::map && type != MmdbType::array && type != MmdbType::boolean &&
         type != MmdbType::pointer;
}

}  // namespace

bool MmdbBudget::take() noexcept {
  if (record_left_ == 0) return false;
  if (left_ == 0) {
    spent_ = true;
    return false;
  }
  --record_left_;
  --left_;
  return true;
}

MmdbData::Head MmdbData::head(std::uint64_t offset) const noexcept {
  if (offset >= section_.size()) return {};
  Reader in(section_.subspan(static_cast<std::size_t>(offset)));
  const unsigned control = in.u8();
  unsigned type = control >> 5U;
  if (type == 0) type = in.u8() + 7U;
  if (type > static_cast<unsigned>(MmdbType::float32)) return {};
  Head out;
  out.value.type = static_cast<MmdbType>(type);
  if (out.value.type == MmdbType::pointer) {
    out.target = read_target(in, control & 31U);
  } else {
    out.value.size = read_size(in, control & 31U);
  }
  out.value.offset = offset + in.position();
  out.end = out.value.offset;
  if (holds_bytes(out.value.type)) {
    in.skip(out.value.size);
    out.end += out.value.size;
  }
  if (in.short_read()) return {};
  return out;
}

MmdbValue MmdbData::at(std::uint64_t offset) const noexcept {
  const Head first = head(offset);
  if (first.value.type != MmdbType::pointer) return first.value;
  const MmdbValue target = head(first.target).value;
  return target.type == MmdbType::pointer ? MmdbValue{} : target;
}

std::string_view MmdbData::text(const MmdbValue& value) const noexcept {
  if (value.type != MmdbType::text) return {};
  return as_text(section_.subspan(static_cast<std::size_t>(value.offset), value.size));
}

std::optional<std::uint64_t> MmdbData::number(const MmdbValue& value) const noexcept {
  const bool number =
      value.type == MmdbType::u16 || value.type == MmdbType::u32 || value.type == MmdbType::u64;
  if (!number || value.size > 8) return std::nullopt;
  Reader in(section_.subspan(static_cast<std::size_t>(value.offset), value.size));
  return read_number(in, value.size);
}

std::optional<std::uint64_t> MmdbData::skip(std::uint64_t offset,
                                            MmdbBudget& budget) const noexcept {
  // Values that are still to come: what a map or array holds is added to them, so nesting costs
  // no stack.
  std::uint64_t pending = 1;
  for (; pending > 0; --pending) {
    if (!budget.take()) return std::nullopt;
    const Head here = head(offset);
    if (here.value.type == MmdbType::none) return std::nullopt;
    if (here.value.type == MmdbType::map) pending += std::uint64_t{2} * here.value.size;
    if (here.value.type == MmdbType::array) pending += here.value.size;
    offset = here.end;
  }
  return offset;
}

MmdbValue MmdbData::member(const MmdbValue& map, std::string_view key,
                           MmdbBudget& budget) const noexcept {
  if (map.type != MmdbType::map) return {};
  std::uint64_t offset = map.offset;
  for (std::uint32_t i = 0; i < map.size; ++i) {
    const bool found = text(at(offset)) == key;
    const auto value = skip(offset, budget);
    if (!value) return {};
    if (found) return at(*value);
    const auto next = skip(*value, budget);
    if (!next) return {};
    offset = *next;
  }
  return {};
}

MmdbValue MmdbData::item(const MmdbValue& array, std::uint32_t index, std::uint64_t& offset,
                         MmdbBudget& budget) const noexcept {
  if (array.type != MmdbType::array || index >= array.size) return {};
  const MmdbValue here = at(offset);
  const auto next = skip(offset, budget);
  if (!next) return {};
  offset = *next;
  return here;
}

}  // namespace sluice::ruleformats
