#include "dataplane/protocol/shadowsocks/datagram.h"

#include <algorithm>
#include <utility>

namespace sluice::shadowsocks {
namespace {

constexpr std::array<std::byte, crypto::kNonceSize> kZeroNonce{};

}  // namespace

Result<DatagramCipher> DatagramCipher::make(const Key& key) noexcept {
  // Any key will do: every datagram brings its own.
  const std::array<std::byte, crypto::kMaxKeySize> none{};
  const ByteView blank = ByteView(none).first(key.salt_size());
  auto sealer = crypto::Aead::make(key.method(), crypto::Aead::Direction::seal, blank);
  if (!sealer) return fail(sealer.error());
  auto opener = crypto::Aead::make(key.method(), crypto::Aead::Direction::open, blank);
  if (!opener) return fail(opener.error());
  return DatagramCipher(key, std::move(*sealer), std::move(*opener));
}

Status DatagramCipher::rekey(crypto::Aead& cipher, ByteView salt) noexcept {
  std::array<std::byte, crypto::kMaxKeySize> room;
  const ByteSpan subkey = ByteSpan(room).first(salt.size());
  Status done = key_->subkey(salt, subkey);
  if (done) done = cipher.rekey(subkey);
  crypto::wipe(room);
  return done;
}

Status DatagramCipher::seal(Packet& packet, const Destination& to) noexcept {
  std::array<std::byte, kMaxSalt> room;
  const ByteSpan salt = ByteSpan(room).first(key_->salt_size());
  const Status random = crypto::random_bytes(salt);
  if (!random) return random;
  return seal_with(packet, to, salt);
}

Status DatagramCipher::seal_with(Packet& packet, const Destination& to, ByteView salt) noexcept {
  const std::size_t head = socks::address_size(to);
  if (packet.headroom < head + salt.size() || packet.tailroom < kDatagramTail)
    return fail(Errc::no_room);
  const Status keyed = rekey(sealer_, salt);
  if (!keyed) return keyed;
  Writer address{packet.push(head)};
  socks::encode_address(to, address);
  const ByteSpan plain = packet.bytes();
  const Status sealed = sealer_.seal(kZeroNonce, plain, packet.extend(kDatagramTail));
  if (!sealed) return sealed;
  std::ranges::copy(salt, packet.push(salt.size()).begin());
  return {};
}

Result<socks::Address> DatagramCipher::open(Packet& packet) noexcept {
  const std::size_t salt_size = key_->salt_size();
  if (packet.size < salt_size + kDatagramTail) return fail(Errc::truncated);
  const Status keyed = rekey(opener_, packet.bytes().first(salt_size));
  if (!keyed) return fail(keyed.error());
  packet.drop_front(salt_size);
  packet.size -= kDatagramTail;
  packet.tailroom += kDatagramTail;
  const ByteView tag{packet.data + packet.size, kDatagramTail};
  const Status opened = opener_.open(kZeroNonce, packet.bytes(), tag);
  if (!opened) return fail(opened.error());
  Reader in{packet.bytes()};
  const auto address = socks::decode_address(in);
  if (address) packet.drop_front(in.position());
  return address;
}

}  // namespace sluice::shadowsocks
