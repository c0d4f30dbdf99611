#include "controlplane/ruleformats/proto_fields.h"

#include <algorithm>

namespace sluice::ruleformats {

bool read_varint(Reader& in, std::uint64_t& out) noexcept {
  out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t group = in.u8();
    out |= (group & 0x7fU) << shift;
    if (group < 0x80) return shift < 63 || group <= 1;
  }
  return false;
}

bool ProtoFields::stop(Errc code, std::uint64_t at) noexcept {
  failure_ = {code, at,
              code == Errc::truncated ? "ends within an entry" : "is not made of protobuf fields"};
  return false;
}

bool ProtoFields::next(ProtoField& out) noexcept {
  if (failed() || in_.left() == 0) return false;
  const std::uint64_t at = offset();
  out = {};
  std::uint64_t key = 0;
  std::uint64_t size = 0;
  bool good = read_varint(in_, key) && key >> 3U != 0 && key >> 3U < (1U << 29U);
  switch (key & 7U) {
    case 0:
      out.is_varint = true;
      good = good && read_varint(in_, out.varint);
      break;
    case 1:
      in_.skip(8);
      break;
    case 2:
      out.is_bytes = true;
      good = good && read_varint(in_, size);
      if (good)
        out.bytes = in_.take(static_cast<std::size_t>(std::min(size, std::uint64_t{SIZE_MAX})));
      break;
    case 5:
      in_.skip(4);
      break;
    default:
      good = false;
  }
  if (in_.short_read()) return stop(Errc::truncated, at);
  if (!good) return stop(Errc::malformed, at);
  out.number = static_cast<std::uint32_t>(key >> 3U);
  return true;
}

}  // namespace sluice::ruleformats
