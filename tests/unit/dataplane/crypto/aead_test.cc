#include "dataplane/crypto/aead.h"

#include <openssl/crypto.h>

#include <array>
#include <atomic>
#include <cstdlib>

#include "dataplane/crypto/block.h"
#include "dataplane/crypto/kdf.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::crypto {
namespace {

std::atomic<std::size_t> allocations{0};

// The library lets its allocator be replaced only before its first use.
void* count_malloc(std::size_t size, const char*, int) {
  ++allocations;
  return std::malloc(size);
}
void* count_realloc(void* memory, std::size_t size, const char*, int) {
  ++allocations;
  return std::realloc(memory, size);
}
void plain_free(void* memory, const char*, int) {
  std::free(memory);
}
const bool counting = CRYPTO_set_mem_functions(count_malloc, count_realloc, plain_free) == 1;

constexpr std::array kKinds{AeadKind::aes_128_gcm, AeadKind::aes_256_gcm,
                            AeadKind::chacha20_poly1305};

class AeadTest : public ::testing::TestWithParam<AeadKind> {
 protected:
  AeadTest() {
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i + 1);
  }
  [[nodiscard]] ByteView key_bytes() const { return ByteView(key).first(key_size(GetParam())); }
  Aead make(Aead::Direction direction) const {
    auto made = Aead::make(GetParam(), direction, key_bytes());
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  std::array<std::byte, kMaxKeySize> key{};
  std::array<std::byte, kNonceSize> nonce{};
  std::array<std::byte, kTagSize> tag{};
};

TEST_P(AeadTest, OpensWhatItSealed) {
  Aead sealer = make(Aead::Direction::seal);
  Aead opener = make(Aead::Direction::open);
  for (const std::size_t size : {0U, 1U, 16U, 1000U, 16383U}) {
    test::Bytes text(size, std::byte{'x'});
    ASSERT_TRUE(sealer.seal(nonce, text, tag));
    if (size > 15) {
      EXPECT_NE(text, test::Bytes(size, std::byte{'x'}));
    }
    ASSERT_TRUE(opener.open(nonce, text, tag)) << size;
    EXPECT_EQ(text, test::Bytes(size, std::byte{'x'}));
    nonce[0] ^= std::byte{static_cast<unsigned char>(size)};
  }
}

TEST_P(AeadTest, AnyFlippedBitIsABadTag) {
  Aead sealer = make(Aead::Direction::seal);
  Aead opener = make(Aead::Direction::open);
  test::Bytes text(20, std::byte{'x'});
  ASSERT_TRUE(sealer.seal(nonce, text, tag));
  for (std::size_t bit = 0; bit < 8 * (text.size() + tag.size()); ++bit) {
    test::Bytes copy = text;
    auto copied_tag = tag;
    std::byte& target = bit / 8 < copy.size() ? copy[bit / 8] : copied_tag[bit / 8 - copy.size()];
    target ^= std::byte{static_cast<unsigned char>(1U << bit % 8)};
    EXPECT_EQ(opener.open(nonce, copy, copied_tag).error().code, Errc::bad_tag) << bit;
  }
  EXPECT_TRUE(opener.open(nonce, text, tag));
}

TEST_P(AeadTest, PiecesOfAnySizeGiveTheSameAsOne) {
  Aead sealer = make(Aead::Direction::seal);
  test::Bytes whole(1000, std::byte{'y'});
  ASSERT_TRUE(sealer.seal(nonce, whole, tag));
  for (const std::size_t piece : {1U, 7U, 15U, 16U, 17U, 333U}) {
    Aead opener = make(Aead::Direction::open);
    ASSERT_TRUE(opener.begin(nonce));
    test::Bytes out(whole.size());
    for (std::size_t at = 0; at < whole.size(); at += piece) {
      const ByteView part = ByteView(whole).subspan(at, std::min(piece, whole.size() - at));
      ASSERT_TRUE(opener.update(part, out.data() + at));
    }
    ASSERT_TRUE(opener.end_open(tag)) << piece;
    EXPECT_EQ(out, test::Bytes(whole.size(), std::byte{'y'}));
  }
}

TEST_P(AeadTest, AssociatedBytesAreAuthenticatedInAnyPieces) {
  Aead sealer = make(Aead::Direction::seal);
  Aead opener = make(Aead::Direction::open);
  test::Bytes text(20, std::byte{'x'});
  ASSERT_TRUE(sealer.begin(nonce));
  ASSERT_TRUE(sealer.associate(as_byte_view("clear header")));
  ASSERT_TRUE(sealer.update(text, text.data()));
  ASSERT_TRUE(sealer.end_seal(tag));
  const auto opens = [&](std::string_view first, std::string_view second) {
    test::Bytes out(text.size());
    return opener.begin(nonce) && opener.associate(as_byte_view(first)) &&
           opener.associate(as_byte_view(second)) && opener.update(text, out.data()) &&
           opener.end_open(tag) && out == test::Bytes(20, std::byte{'x'});
  };
  EXPECT_TRUE(opens("clear header", ""));
  EXPECT_TRUE(opens("cl", "ear header"));
  EXPECT_FALSE(opens("clear", "header"));
  EXPECT_FALSE(opens("", ""));
}

TEST_P(AeadTest, NewKeyReplacesTheOldOne) {
  Aead sealer = make(Aead::Direction::seal);
  Aead opener = make(Aead::Direction::open);
  key[0] ^= std::byte{1};
  ASSERT_TRUE(sealer.rekey(key_bytes()));
  test::Bytes text(20, std::byte{'x'});
  ASSERT_TRUE(sealer.seal(nonce, text, tag));
  test::Bytes copy = text;
  EXPECT_EQ(opener.open(nonce, copy, tag).error().code, Errc::bad_tag);
  ASSERT_TRUE(opener.rekey(key_bytes()));
  EXPECT_TRUE(opener.open(nonce, text, tag));
}

TEST_P(AeadTest, RecordsAndKeysCostNoAllocation) {
  ASSERT_TRUE(counting);
  Aead sealer = make(Aead::Direction::seal);
  test::Bytes text(1000, std::byte{'x'});
  ASSERT_TRUE(sealer.seal(nonce, text, tag));
  auto blocks = BlockCipher::make();
  ASSERT_TRUE(blocks);
  ASSERT_TRUE(blocks->rekey(ByteView(key).first(16)));
  BlockCipher::Block block{};
  const std::size_t before = allocations;
  ASSERT_GT(before, 0U);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(hkdf_sha1(key_bytes(), key_bytes(), as_byte_view("info"),
                          ByteSpan(key).first(key_bytes().size())));
    Sha256Digest prk;
    ASSERT_TRUE(hkdf_sha256_extract(key_bytes(), key_bytes(), prk));
    ASSERT_TRUE(hkdf_sha256_expand(prk, as_byte_view("info"), ByteSpan(key).first(16)));
    ASSERT_TRUE(blocks->rekey(ByteView(key).first(16)));
    ASSERT_TRUE(blocks->encrypt(ByteView(key).first(16), block));
    ASSERT_TRUE(sealer.rekey(key_bytes()));
    ASSERT_TRUE(sealer.seal(nonce, text, tag));
    ASSERT_TRUE(sealer.begin(nonce));
    ASSERT_TRUE(sealer.associate(as_byte_view("head")));
    ASSERT_TRUE(sealer.end_seal(tag));
  }
  EXPECT_EQ(allocations, before);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AeadTest, ::testing::ValuesIn(kKinds));

TEST(Aead, RefusesAKeyOfTheWrongSize) {
  const std::array<std::byte, 15> key{};
  EXPECT_EQ(Aead::make(AeadKind::aes_128_gcm, Aead::Direction::seal, key).error().code,
            Errc::system);
}

}  // namespace
}  // namespace sluice::crypto
