// sniff/pieces.h - reads one message that lies in pieces of a stream, without joining them.
//
//   | head | piece 1 | head | piece 2 | head | pie      TLS records, or HEADERS and CONTINUATION
//            ^ message bytes in order ^        ^ the stream ends here as yet
//
// Sticks at the first read that cannot be served; until then reads are as from one view.
//
// Owner: a decoder's stack. The stream outlives the reader.
#pragma once

#include <cstdint>

#include "proto/common/cursor.h"

namespace sluice::sniff {

struct Piece {
  /// bounded: the message lies in more than kMaxPieces.
  enum class State : std::uint8_t { good, truncated, malformed, bounded };
  State state = State::malformed;
  bool last = false;        ///< the message ends with this piece
  std::size_t wants = 0;    ///< truncated: stream bytes with which to look again
  std::size_t begin = 0;    ///< where its bytes begin, at most the stream's size
  std::size_t size = 0;     ///< how many they are, come or not
  std::size_t next = 0;     ///< where the next head begins
  std::uint32_t owner = 0;  ///< whose message it is, where heads say so; else 0

  static Piece truncated(std::size_t wants) noexcept {
    Piece out;
    out.state = State::truncated;
    out.wants = wants;
    return out;
  }
};

class PieceReader {
 public:
  /// Decodes the head at `at` <= stream.size(); `owner` is that of the piece before, 0 for the
  /// message's first.
  using Next = Piece (*)(ByteView stream, std::size_t at, std::uint32_t owner) noexcept;

  /// A message whose first head lies at `at`.
  PieceReader(ByteView stream, std::size_t at, Next next) noexcept
      : stream_(stream), next_(next), at_(at), next_at_(at) {}
  /// A message of which `start` is all that has come, in one piece.
  explicit PieceReader(ByteView start) noexcept : stream_(start), left_(SIZE_MAX) {}

  std::uint8_t u8() noexcept { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u24() noexcept { return static_cast<std::uint32_t>(number(3)); }
  void skip(std::size_t count) noexcept;
  void copy(ByteSpan out) noexcept;

  [[nodiscard]] bool good() const noexcept { return state_ == Piece::State::good; }
  [[nodiscard]] Piece::State state() const noexcept { return state_; }
  /// After truncated: stream bytes without which the same read stops at the same place.
  [[nodiscard]] std::size_t wants() const noexcept { return wants_; }
  /// Message bytes read so far.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  /// Stream bytes that surely hold the message up to `end` (a position), or `otherwise` when that
  /// reaches past the present piece.
  [[nodiscard]] std::size_t holds(std::size_t end, std::size_t otherwise) const noexcept;
  /// True when the message's last byte was read. Moves on over empty pieces.
  bool at_end() noexcept;

 private:
  std::uint32_t number(std::size_t count) noexcept;
  ByteView take(std::size_t count) noexcept;
  void open_piece() noexcept;

  ByteView stream_;
  Next next_ = nullptr;
  std::size_t at_ = 0;       // of the next byte in the stream
  std::size_t next_at_ = 0;  // of the next head
  std::size_t left_ = 0;     // of the present piece
  std::size_t position_ = 0;
  std::size_t wants_ = 0;
  std::size_t pieces_ = 0;
  std::uint32_t owner_ = 0;
  Piece::State state_ = Piece::State::good;
  bool last_ = false;
};

}  // namespace sluice::sniff
