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

}  // namespace
}  // namespace sluice::crypto
