// shadowsocks/record.h - one direction of a stream: a salt, then sealed records.
//
//   salt | ( sealed length(2) tag(16) | sealed payload(n) tag(16) )*      n = 1..0x3fff
//
// The nonce is a little-endian counter, one step per seal; two per record. Sealing works in place
// in a slice's headroom and tailroom. Opening works in place where a slice ends with the record;
// where the next record begins in the same slice, the payload is opened into a fresh one, which
// costs no more than opening in place.
//
// Owner: a layer. Thread: its worker.
#pragma once

#include <array>
#include <cstdint>

#include "dataplane/protocol/shadowsocks/key.h"
#include "proto/runtime/buffer/slice_queue.h"

namespace sluice::shadowsocks {

inline constexpr std::size_t kMaxPayload = 0x3fff;
inline constexpr std::size_t kLengthSize = 2 + crypto::kTagSize;
inline constexpr std::size_t kRecordHead = kLengthSize;
inline constexpr std::size_t kRecordTail = crypto::kTagSize;

/// The counter that is the nonce.
class Nonce {
 public:
  /// The present value; the next call gives the next.
  [[nodiscard]] std::array<std::byte, crypto::kNonceSize> next() noexcept;

 private:
  std::uint64_t value_ = 0;
};

class Sealer {
 public:
  /// `salt` has key.salt_size() bytes and must be fresh. Errors: system.
  static Result<Sealer> make(const Key& key, ByteView salt) noexcept;

  /// The headroom that the next record needs: the first one carries the salt.
  [[nodiscard]] std::size_t head() const noexcept { return kRecordHead + salt_left_; }
  /// Makes the slice's data one record. Needs 1..kMaxPayload bytes with head() before and
  /// kRecordTail behind them. Errors: system; the stream is broken.
  Status seal(Slice& slice) noexcept;

 private:
  Sealer() noexcept = default;
  crypto::Aead cipher_;
  Nonce nonce_;
  std::array<std::byte, kMaxSalt> salt_{};
  std::size_t salt_left_ = 0;
};

class Opener {
 public:
  /// `pool` gives the slices for payloads that share theirs with the next record.
  Opener(const Key& key, SlicePool& pool) noexcept : key_(key), pool_(pool) {}

  /// Opens every whole record of `wire` into `plain`. Errors: bad_tag, malformed (length 0 or over
  /// kMaxPayload), system: the stream is broken; no_room: call again.
  Status open(SliceQueue& wire, SliceQueue& plain) noexcept;

 private:
  using Tag = std::array<std::byte, crypto::kTagSize>;
  Status read_salt(SliceQueue& wire) noexcept;
  Status read_length(SliceQueue& wire) noexcept;
  Status open_record(SliceQueue& wire, SliceQueue& plain) noexcept;
  Status reserve_spill(std::size_t most, SliceQueue& plain) noexcept;
  Status open_payload(SliceQueue& wire, SliceQueue& opened, Tag& tag) noexcept;

  const Key& key_;
  SlicePool& pool_;
  crypto::Aead cipher_;  ///< valid once the salt was read
  Nonce nonce_;
  std::size_t payload_ = 0;  ///< of the record whose length was opened; 0 between records
  Slice spill_;              ///< only inside open(): plain bytes that follow everything in `plain`
};

}  // namespace sluice::shadowsocks
