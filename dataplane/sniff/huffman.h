// sniff/huffman.h - HPACK's string code (RFC 7541 appendix B), as far as names need it.
//
// The code is canonical: codes of one length are consecutive, in the order of their symbols, and
// longer ones follow. All printable ASCII but the backslash has codes of at most 15 bits; a longer
// code is a byte that no host name holds, so it ends decoding.
//
// Owner: a decoder's stack.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::sniff {

class HuffmanDecoder {
 public:
  /// Takes one byte of the coded string and puts out the 0, 1 or 2 symbols (characters) that it
  /// completes, returning their number; -1 when it can hold no name.
  int feed(std::uint8_t byte, char (&out)[2]) noexcept;
  /// The string may end here: what is left over is padding, fewer than 8 bits and all ones.
  [[nodiscard]] bool may_end() const noexcept;

 private:
  std::uint32_t code_ = 0;  ///< bits that are no whole code as yet
  unsigned size_ = 0;       ///< how many, below 16
};

}  // namespace sluice::sniff
