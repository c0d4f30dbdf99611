#include "dataplane/crypto/kdf.h"

#include <array>

#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::crypto {
namespace {

TEST(PasswordKey, MatchesKnownAnswers) {
  const test::Vectors known("kdf.txt");
  for (const std::size_t size : {16U, 32U}) {
    test::Bytes key(size);
    ASSERT_TRUE(password_key(known.text("bytes_to_key.password"), key));
    EXPECT_EQ(key, known.bytes("bytes_to_key." + std::to_string(size)));
  }
}

// RFC 5869 appendix A.4 and A.6.
TEST(HkdfSha1, MatchesRfc5869Case4) {
  test::Bytes out(42);
  ASSERT_TRUE(hkdf_sha1(test::Bytes(11, std::byte{0x0b}),
                        test::from_hex("000102030405060708090a0b0c"),
                        test::from_hex("f0f1f2f3f4f5f6f7f8f9"), out));
  EXPECT_EQ(out, test::from_hex("085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c"
                                "22e422478d305f3f896"));
}

TEST(HkdfSha1, MatchesRfc5869Case6WithoutSaltAndInfo) {
  test::Bytes out(42);
  ASSERT_TRUE(hkdf_sha1(test::Bytes(22, std::byte{0x0b}), {}, {}, out));
  EXPECT_EQ(out, test::from_hex("0ac1af7002b3d761d1e55298da9d0506b9ae52057220a306e07b6b87e8df21d0ea"
                                "00033de03984d34918"));
}

TEST(HkdfSha1, RefusesMoreThanItCanGive) {
  test::Bytes out(255 * 20 + 1);
  EXPECT_EQ(hkdf_sha1(test::Bytes(16), {}, {}, out).error().code, Errc::too_large);
  EXPECT_EQ(hkdf_sha1(test::Bytes(16), test::Bytes(65), {}, ByteSpan(out).first(16)).error().code,
            Errc::too_large);
}

// RFC 5869 appendix A.1 and A.3.
TEST(HkdfSha256, MatchesRfc5869Case1) {
  Sha256Digest prk;
  ASSERT_TRUE(hkdf_sha256_extract(test::Bytes(22, std::byte{0x0b}),
                                  test::from_hex("000102030405060708090a0b0c"), prk));
  EXPECT_EQ(test::Bytes(prk.begin(), prk.end()),
            test::from_hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
  test::Bytes out(42);
  ASSERT_TRUE(hkdf_sha256_expand(prk, test::from_hex("f0f1f2f3f4f5f6f7f8f9"), out));
  EXPECT_EQ(out, test::from_hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                                "34007208d5b887185865"));
}

TEST(HkdfSha256, MatchesRfc5869Case3WithoutSaltAndInfo) {
  Sha256Digest prk;
  ASSERT_TRUE(hkdf_sha256_extract(test::Bytes(22, std::byte{0x0b}), {}, prk));
  test::Bytes out(42);
  ASSERT_TRUE(hkdf_sha256_expand(prk, {}, out));
  EXPECT_EQ(out, test::from_hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                                "9d201395faa4b61a96c8"));
}

TEST(HkdfSha256, RefusesMoreThanItCanGive) {
  Sha256Digest prk{};
  test::Bytes out(255 * 32 + 1);
  EXPECT_EQ(hkdf_sha256_expand(prk, {}, out).error().code, Errc::too_large);
  EXPECT_EQ(hkdf_sha256_expand(test::Bytes(65), {}, ByteSpan(out).first(16)).error().code,
            Errc::too_large);
  EXPECT_EQ(hkdf_sha256_extract(test::Bytes(16), test::Bytes(65), prk).error().code,
            Errc::too_large);
}

}  // namespace
}  // namespace sluice::crypto
