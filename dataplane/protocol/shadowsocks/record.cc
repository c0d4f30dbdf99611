#include "dataplane/protocol/shadowsocks/record.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice::shadowsocks {

std::array<std::byte, crypto::kNonceSize> Nonce::next() noexcept {
  std::array<std::byte, crypto::kNonceSize> out{};
  Writer{out}.u64le(value_++);
  return out;
}

Result<Sealer> Sealer::make(const Key& key, ByteView salt) noexcept {
  auto cipher = key.cipher(crypto::Aead::Direction::seal, salt);
  if (!cipher) return fail(cipher.error());
  Sealer out;
  out.cipher_ = std::move(*cipher);
  std::ranges::copy(salt, out.salt_.begin());
  out.salt_left_ = salt.size();
  return out;
}

Status Sealer::seal(Slice& slice) noexcept {
  const auto length_nonce = nonce_.next();
  const auto payload_nonce = nonce_.next();
  const std::size_t size = slice.size();
  const Status payload =
      cipher_.seal(payload_nonce, slice.data(), slice.room().first(crypto::kTagSize));
  if (!payload) return payload;
  slice.grow(crypto::kTagSize);
  const ByteSpan head = slice.push(kLengthSize);
  Writer{head}.u16be(static_cast<std::uint16_t>(size));
  const Status length = cipher_.seal(length_nonce, head.first(2), head.subspan(2));
  if (!length) return length;
  if (salt_left_ != 0) {
    std::memcpy(slice.push(salt_left_).data(), salt_.data(), salt_left_);
    salt_left_ = 0;
  }
  return {};
}

Status Opener::open(SliceQueue& wire, SliceQueue& plain) noexcept {
  Status status;
  while (status && !wire.empty()) {
    const std::size_t before = wire.size();
    if (!cipher_.valid()) {
      status = read_salt(wire);
    } else if (payload_ == 0) {
      status = read_length(wire);
    } else {
      status = open_record(wire, plain);
    }
    if (wire.size() == before) break;
  }
  plain.push_back(std::move(spill_));
  return status;
}

Status Opener::read_salt(SliceQueue& wire) noexcept {
  std::array<std::byte, kMaxSalt> room;
  const ByteSpan salt = ByteSpan(room).first(key_.salt_size());
  if (wire.peek(salt) < salt.size()) return {};
  auto cipher = key_.cipher(crypto::Aead::Direction::open, salt);
  if (!cipher) return fail(cipher.error());
  cipher_ = std::move(*cipher);
  wire.consume(salt.size());
  return {};
}

Status Opener::read_length(SliceQueue& wire) noexcept {
  std::array<std::byte, kLengthSize> sealed;
  if (wire.peek(sealed) < sealed.size()) return {};
  const ByteSpan length = ByteSpan(sealed).first(2);
  const auto nonce = nonce_.next();
  const Status opened = cipher_.open(nonce, length, ByteView(sealed).subspan(2));
  if (!opened) return opened;
  const std::size_t payload = Reader{length}.u16be();
  // Peers mask the two top bits; a length that uses them was never written by one.
  if (payload == 0 || payload > kMaxPayload) return fail(Errc::malformed);
  payload_ = payload;
  wire.consume(sealed.size());
  return {};
}

/// Makes room for `most` bytes behind what was spilled so far.
Status Opener::reserve_spill(std::size_t most, SliceQueue& plain) noexcept {
  if (spill_ && spill_.tailroom() >= most + kTailroom) return {};
  // A block full of payload has no room for heads; sealing it again then costs a copy.
  const bool fits = kHeadroom + most + kTailroom <= kBlockRoom;
  auto fresh = Slice::make(pool_, fits ? kHeadroom : 0);
  if (!fresh) return fail(fresh.error());
  plain.push_back(std::move(spill_));
  spill_ = std::move(*fresh);
  return {};
}

Status Opener::open_record(SliceQueue& wire, SliceQueue& plain) noexcept {
  const std::size_t record = payload_ + crypto::kTagSize;
  if (wire.size() < record) return {};
  const std::size_t first = wire.front().size();
  // More than one piece: all but the last are opened in place, behind what was spilled before.
  if (first < payload_) plain.push_back(std::move(spill_));
  if (wire.size() > record) {
    const Status reserved = reserve_spill(first < payload_ ? payload_ - first : payload_, plain);
    if (!reserved) return reserved;
  }
  const std::size_t spilled = spill_ ? spill_.size() : 0;
  SliceQueue opened;
  Tag tag;
  const auto nonce = nonce_.next();
  Status status = cipher_.begin(nonce);
  if (status) status = open_payload(wire, opened, tag);
  if (status) status = cipher_.end_open(tag);
  if (!status) {
    if (spill_) spill_.drop_back(spill_.size() - spilled);
    return status;
  }
  payload_ = 0;
  if (!opened.empty() && spilled != 0) plain.push_back(std::move(spill_));
  plain.append(std::move(opened));
  return {};
}

/// Decrypts payload_ bytes and takes the tag; the caller checked that both are there.
Status Opener::open_payload(SliceQueue& wire, SliceQueue& opened, Tag& tag) noexcept {
  std::size_t tag_size = 0;
  for (std::size_t left = payload_; left != 0;) {
    const ByteSpan front = wire.front();
    const std::size_t here = std::min(left, front.size());
    Status done;
    if (front.size() > here + tag.size()) {
      done = cipher_.update(front.first(here), spill_.room().data());
      spill_.grow(here);
      wire.consume(here);
    } else {
      Slice slice = wire.pop_front();
      done = cipher_.update(slice.data().first(here), slice.data().data());
      // Behind the payload lies nothing but this record's tag, or its beginning.
      tag_size = slice.size() - here;
      std::ranges::copy(slice.data().last(tag_size), tag.begin());
      slice.drop_back(tag_size);
      opened.push_back(std::move(slice));
    }
    if (!done) return done;
    left -= here;
  }
  const ByteSpan rest = ByteSpan(tag).subspan(tag_size);
  wire.peek(rest);
  wire.consume(rest.size());
  return {};
}

}  // namespace sluice::shadowsocks
