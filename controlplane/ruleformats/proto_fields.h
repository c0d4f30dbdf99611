// ruleformats/proto_fields.h - the fields of a protobuf message, one after the other, as views.
//
//   key(varint) = number << 3 | type;  type 0 varint, 1 eight bytes, 2 length(varint) bytes, 5 four
//
// protobuf.dev/programming-guides/encoding. For files of 10 MiB of which one part is wanted: what
// is not wanted is stepped over by its length.
#pragma once

#include <cstdint>

#include "controlplane/ruleformats/refusal.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

struct ProtoField {
  std::uint32_t number = 0;
  bool is_bytes = false;   ///< of type 2: `bytes` holds it
  bool is_varint = false;  ///< of type 0: `varint` holds it
  std::uint64_t varint = 0;
  ByteView bytes;
};

class ProtoFields {
 public:
  /// `offset` is where `message` starts in its file, for the refusal.
  explicit ProtoFields(ByteView message, std::uint64_t offset = 0) noexcept
      : in_(message), offset_(offset) {}

  /// False at the end, and when the message is broken: then failed() says so.
  bool next(ProtoField& out) noexcept;
  [[nodiscard]] bool failed() const noexcept { return failure_.code != Errc::none; }
  /// Errors: truncated, malformed (a type or a number that no field has).
  [[nodiscard]] const Refusal& refusal() const noexcept { return failure_; }
  /// Bytes into the file, behind the last field.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_ + in_.position(); }

 private:
  bool stop(Errc code, std::uint64_t at) noexcept;

  Reader in_;
  std::uint64_t offset_;
  Refusal failure_;
};

/// A base-128 varint of at most 64 bits, low groups first; also what sing-box writes. Past the end
/// the reader is short. False when it is longer than 64 bits.
bool read_varint(Reader& in, std::uint64_t& out) noexcept;

}  // namespace sluice::ruleformats
