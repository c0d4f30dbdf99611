// sniff/hello_bytes.h - one handshake message that comes in parts, in any order: CRYPTO frames of
// QUIC, fragments of DTLS.
//
// Parts may overlap and repeat; the later copy stays. What lies past kMaxHello is dropped.
//
// Owner: the flow's sniffer. 4.6 KiB in place, no allocation.
#pragma once

#include <array>
#include <cstdint>

#include "dataplane/sniff/limits.h"
#include "proto/common/cursor.h"

namespace sluice::sniff {

class HelloBytes {
 public:
  void add(std::uint64_t offset, ByteView part) noexcept;
  /// All bytes from the first one up to the first gap.
  [[nodiscard]] ByteView prefix() const noexcept;
  /// Nothing that may still come would make the prefix longer.
  [[nodiscard]] bool full() const noexcept { return prefix().size() == kMaxHello; }
  void clear() noexcept { present_.fill(0); }

 private:
  static constexpr std::size_t kWord = 64;
  static_assert(kMaxHello % kWord == 0);

  std::array<std::byte, kMaxHello> bytes_;  // those that are not present mean nothing
  std::array<std::uint64_t, kMaxHello / kWord> present_{};
};

}  // namespace sluice::sniff
