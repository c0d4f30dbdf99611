#include "dataplane/sniff/quic_open.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "dataplane/crypto/kdf.h"

namespace sluice::sniff {
namespace {

constexpr std::string_view kSaltV1(
    "\x38\x76\x2c\xf7\xf5\x59\x34\xb3\x4d\x17\x9a\xe6\xa4\xc8\x0c\xad\xcc\xbb\x7f\x0a", 20);
constexpr std::string_view kSaltV2(
    "\x0d\xed\xe3\xde\xf7\x00\xa6\xdb\x81\x93\x81\xbe\x6e\x26\x9d\xcb\xf9\xbd\x2e\xd9", 20);
/// Bytes of a packet number at most; the mask's sample lies behind so many.
constexpr std::size_t kMaxNumber = 4;

struct Labels {
  std::string_view key;
  std::string_view iv;
  std::string_view mask;
};
constexpr Labels kLabelsV1{"tls13 quic key", "tls13 quic iv", "tls13 quic hp"};
constexpr Labels kLabelsV2{"tls13 quicv2 key", "tls13 quicv2 iv", "tls13 quicv2 hp"};

/// HKDF-Expand-Label without context, RFC 8446 section 7.1: size(2) | label size(1) label | 0.
Status expand_label(ByteView secret, std::string_view label, ByteSpan out) noexcept {
  std::array<std::byte, 32> room;
  Writer info{room};
  info.u16be(static_cast<std::uint16_t>(out.size()));
  info.u8(static_cast<std::uint8_t>(label.size()));
  info.text(label);
  info.u8(0);
  return crypto::hkdf_sha256_expand(secret, info.written(), out);
}

struct PacketNumber {
  std::byte first{};                          ///< the packet's first byte, unprotected
  std::array<std::byte, kMaxNumber> bytes{};  ///< the number as it lies in the packet
  std::size_t size = 0;                       ///< 1..kMaxNumber
};

/// RFC 9001 section 5.4.1 for long headers.
PacketNumber unmask(const LongPacket& packet, const crypto::BlockCipher::Block& mask) noexcept {
  PacketNumber out;
  out.first = packet.bytes[0] ^ (mask[0] & std::byte{0x0f});
  out.size = std::to_integer<std::size_t>(out.first & std::byte{0x03}) + 1;
  for (std::size_t i = 0; i < out.size; ++i)
    out.bytes[i] = packet.bytes[packet.number_at + i] ^ mask[i + 1];
  return out;
}

}  // namespace

Result<InitialKeys> client_initial_keys(QuicVersion version, ByteView dcid) noexcept {
  if (dcid.size() > kMaxConnectionId) return fail(Errc::too_large);
  const bool second = version == QuicVersion::v2;
  const Labels& labels = second ? kLabelsV2 : kLabelsV1;
  crypto::Sha256Digest initial;
  crypto::Sha256Digest client;
  InitialKeys out;
  const ByteView salt = as_byte_view(second ? kSaltV2 : kSaltV1);
  Status done = crypto::hkdf_sha256_extract(dcid, salt, initial);
  if (done) done = expand_label(initial, "tls13 client in", client);
  if (done) done = expand_label(client, labels.key, out.key);
  if (done) done = expand_label(client, labels.iv, out.iv);
  if (done) done = expand_label(client, labels.mask, out.mask_key);
  if (!done) return fail(done.error());
  return out;
}

Result<InitialOpener> InitialOpener::make() noexcept {
  InitialOpener out;
  auto aead = crypto::Aead::make(crypto::AeadKind::aes_128_gcm, crypto::Aead::Direction::open,
                                 InitialKeys{}.key);
  auto mask = crypto::BlockCipher::make();
  if (!aead || !mask) return fail(Errc::system);
  out.aead_ = std::move(*aead);
  out.mask_ = std::move(*mask);
  return out;
}

Result<ByteView> InitialOpener::open(const InitialKeys& keys, const LongPacket& packet) noexcept {
  const ByteView bytes = packet.bytes;
  if (bytes.size() > kMaxInitial) return fail(Errc::too_large);
  if (bytes.size() < packet.number_at + kMaxNumber + crypto::kBlockSize)
    return fail(Errc::malformed);
  crypto::BlockCipher::Block mask;
  Status done = mask_.rekey(keys.mask_key);
  if (done)
    done = mask_.encrypt(bytes.subspan(packet.number_at + kMaxNumber, crypto::kBlockSize), mask);
  if (!done) return fail(done.error());
  const PacketNumber number = unmask(packet, mask);
  auto nonce = keys.iv;
  for (std::size_t i = 0; i < number.size; ++i)
    nonce[nonce.size() - number.size + i] ^= number.bytes[i];
  const std::size_t head_size = packet.number_at + number.size;
  const ByteView sealed = bytes.subspan(head_size, bytes.size() - head_size - crypto::kTagSize);
  done = aead_.rekey(keys.key);
  if (done) done = aead_.begin(nonce);
  if (done) done = aead_.associate({&number.first, 1});
  if (done) done = aead_.associate(bytes.subspan(1, packet.number_at - 1));
  if (done) done = aead_.associate(ByteView(number.bytes).first(number.size));
  if (done) done = aead_.update(sealed, plain_.data());
  if (done) done = aead_.end_open(bytes.last(crypto::kTagSize));
  if (!done) return fail(done.error());
  return ByteView(plain_).first(sealed.size());
}

}  // namespace sluice::sniff
