#include "controlplane/dns/message/record_data.h"

#include <algorithm>
#include <array>

namespace sluice::dns {
namespace {

/// Shape of data that holds names: fixed bytes, character strings, names, fixed bytes.
struct Shape {
  std::uint16_t type;
  std::uint8_t lead;
  std::uint8_t strings;
  std::uint8_t names;
  std::uint8_t tail;
};

constexpr std::array kShapes = {
    Shape{type::kNs, 0, 0, 1, 0},
    Shape{3, 0, 0, 1, 0},  // MD
    Shape{4, 0, 0, 1, 0},  // MF
    Shape{type::kCname, 0, 0, 1, 0},
    Shape{type::kSoa, 0, 0, 2, 20},
    Shape{7, 0, 0, 1, 0},  // MB
    Shape{8, 0, 0, 1, 0},  // MG
    Shape{9, 0, 0, 1, 0},  // MR
    Shape{type::kPtr, 0, 0, 1, 0},
    Shape{14, 0, 0, 2, 0},  // MINFO
    Shape{type::kMx, 2, 0, 1, 0},
    Shape{17, 0, 0, 2, 0},  // RP
    Shape{18, 2, 0, 1, 0},  // AFSDB
    Shape{21, 2, 0, 1, 0},  // RT
    Shape{26, 2, 0, 2, 0},  // PX
    Shape{type::kSrv, 6, 0, 1, 0},
    Shape{35, 4, 3, 1, 0},  // NAPTR
    Shape{36, 2, 0, 1, 0},  // KX
    Shape{39, 0, 0, 1, 0},  // DNAME
};

/// Copies `size` bytes at `at` and moves on. False when they reach behind `end`.
bool copy(ByteView message, std::size_t& at, std::size_t end, std::size_t size,
          std::vector<std::byte>& out) {
  if (size > end - at) return false;
  const auto from = message.begin() + static_cast<std::ptrdiff_t>(at);
  out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(size));
  at += size;
  return true;
}

}  // namespace

Result<std::vector<std::byte>> expand_record_data(ByteView message, const Record& record) {
  const auto* shape = std::ranges::find(kShapes, record.type, &Shape::type);
  if (shape == kShapes.end()) {
    if (record.type == type::kA && record.klass == kClassIn && record.data.size() != 4)
      return fail(Errc::malformed);
    if (record.type == type::kAaaa && record.data.size() != 16) return fail(Errc::malformed);
    return std::vector<std::byte>(record.data.begin(), record.data.end());
  }
  std::vector<std::byte> out;
  std::size_t at = record.data_at;
  const std::size_t end = at + record.data.size();
  if (!copy(message, at, end, shape->lead, out)) return fail(Errc::malformed);
  for (int i = 0; i < shape->strings; ++i) {
    if (at >= end) return fail(Errc::malformed);
    const std::size_t size = 1 + std::to_integer<std::size_t>(message[at]);
    if (!copy(message, at, end, size, out)) return fail(Errc::malformed);
  }
  for (int i = 0; i < shape->names; ++i) {
    const auto name = read_name(message.first(end), at);
    if (!name) return fail(Errc::malformed);
    out.insert(out.end(), name->bytes().begin(), name->bytes().end());
  }
  if (!copy(message, at, end, shape->tail, out) || at != end) return fail(Errc::malformed);
  return out;
}

}  // namespace sluice::dns
