#include "dataplane/sniff/pieces.h"

#include <algorithm>

#include "dataplane/sniff/limits.h"

namespace sluice::sniff {

void PieceReader::open_piece() noexcept {
  if (last_ || next_ == nullptr || pieces_ == kMaxPieces) {
    state_ = pieces_ == kMaxPieces && !last_ ? Piece::State::bounded : Piece::State::malformed;
    return;
  }
  const bool here = next_at_ <= stream_.size();
  const Piece piece = here ? next_(stream_, next_at_, owner_) : Piece::truncated(next_at_ + 1);
  state_ = piece.state;
  wants_ = piece.wants;
  if (!good()) return;
  ++pieces_;
  at_ = piece.begin;
  left_ = piece.size;
  next_at_ = piece.next;
  last_ = piece.last;
  owner_ = piece.owner;
}

ByteView PieceReader::take(std::size_t count) noexcept {
  while (good() && left_ == 0) open_piece();
  if (!good()) return {};
  const std::size_t here = std::min(count, left_);
  if (here > stream_.size() - at_) {
    state_ = Piece::State::truncated;
    wants_ = at_ + here;
    return {};
  }
  const ByteView out = stream_.subspan(at_, here);
  at_ += here;
  left_ -= here;
  position_ += here;
  return out;
}

void PieceReader::skip(std::size_t count) noexcept {
  while (count > 0 && good()) count -= take(count).size();
}

void PieceReader::copy(ByteSpan out) noexcept {
  while (!out.empty() && good()) {
    const ByteView part = take(out.size());
    std::ranges::copy(part, out.begin());
    out = out.subspan(part.size());
  }
}

std::uint32_t PieceReader::number(std::size_t count) noexcept {
  std::uint32_t value = 0;
  while (count > 0 && good()) {
    const ByteView part = take(count);
    for (const std::byte b : part) value = (value << 8) | std::to_integer<std::uint32_t>(b);
    count -= part.size();
  }
  return good() ? value : 0;
}

std::size_t PieceReader::holds(std::size_t end, std::size_t otherwise) const noexcept {
  return end >= position_ && end - position_ <= left_ ? at_ + (end - position_) : otherwise;
}

bool PieceReader::at_end() noexcept {
  while (good() && left_ == 0 && !last_) open_piece();
  return good() && left_ == 0;
}

}  // namespace sluice::sniff
