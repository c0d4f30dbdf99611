// Initial packets as a client writes them, for the tests of the decoders.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "dataplane/sniff/quic_open.h"
#include "tests/unit/dataplane/sniff/hellos.h"

namespace sluice::sniff::test {

inline std::string varint(std::uint64_t value) {
  if (value < 64) return number(value, 1);
  return value < 16'384 ? number(value | 0x4000, 2) : number(value | 0x80000000, 4);
}
inline std::string crypto_frame(std::size_t offset, std::string_view bytes) {
  return number(6, 1) + varint(offset) + varint(bytes.size()) + std::string(bytes);
}

struct Client {
  QuicVersion version = QuicVersion::v1;
  std::string dcid = "firstdcid";  ///< in the packet
  std::string key_dcid = dcid;     ///< that the keys follow from
  std::string token{};
  unsigned number = 0;
};

/// A long header of `type` (as version 1 counts them) up to its size field.
inline std::string long_head(const Client& client, unsigned type, unsigned low_bits) {
  const unsigned bits = client.version == QuicVersion::v1 ? type : (type + 1) % 4;
  std::string out = number(0xc0 | bits << 4 | low_bits, 1);
  out += number(static_cast<std::uint32_t>(client.version), 4);
  out += sized(client.dcid, 1) + sized("scid", 1);
  if (type == 0) out += varint(client.token.size()) + client.token;
  return out;
}

/// A sealed Initial with `frames`, filled up with PADDING to `size` bytes at least.
inline std::string initial(const Client& client, std::string frames, std::size_t size = 0) {
  constexpr std::size_t kNumberSize = 2;
  std::string head = long_head(client, 0, kNumberSize - 1);
  const std::size_t others = head.size() + 2 + kNumberSize + crypto::kTagSize;
  if (frames.size() + others < size) frames.resize(size - others, '\0');
  frames.resize(std::max<std::size_t>(frames.size(), 64), '\0');
  head += varint(kNumberSize + frames.size() + crypto::kTagSize);
  const std::size_t number_at = head.size();
  head += number(client.number, kNumberSize);
  const auto keys = client_initial_keys(client.version, as_byte_view(client.key_dcid));
  auto nonce = keys->iv;
  nonce[10] ^= static_cast<std::byte>(client.number >> 8);
  nonce[11] ^= static_cast<std::byte>(client.number);
  auto aead =
      crypto::Aead::make(crypto::AeadKind::aes_128_gcm, crypto::Aead::Direction::seal, keys->key);
  std::string sealed = frames;
  std::string tag(crypto::kTagSize, '\0');
  EXPECT_TRUE(aead->begin(nonce) && aead->associate(as_byte_view(head)) &&
              aead->update(as_byte_view(frames), reinterpret_cast<std::byte*>(sealed.data())) &&
              aead->end_seal(std::as_writable_bytes(std::span(tag))));
  std::string out = head + sealed + tag;
  auto cipher = crypto::BlockCipher::make();
  crypto::BlockCipher::Block mask{};
  EXPECT_TRUE(cipher->rekey(keys->mask_key) &&
              cipher->encrypt(as_byte_view(std::string_view(out).substr(number_at + 4, 16)), mask));
  const auto flip = [&](std::size_t at, std::byte bits) {
    out[at] = static_cast<char>(static_cast<std::byte>(out[at]) ^ bits);
  };
  flip(0, mask[0] & std::byte{0x0f});
  for (std::size_t i = 0; i < kNumberSize; ++i) flip(number_at + i, mask[i + 1]);
  return out;
}

}  // namespace sluice::sniff::test
