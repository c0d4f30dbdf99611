#include "dataplane/crypto/block.h"

#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::crypto {
namespace {

// FIPS 197 appendix B and appendix C.1.
TEST(BlockCipher, MatchesFips197WithOneKeyAfterAnother) {
  auto cipher = BlockCipher::make();
  ASSERT_TRUE(cipher);
  BlockCipher::Block out{};
  ASSERT_TRUE(cipher->rekey(test::from_hex("2b7e151628aed2a6abf7158809cf4f3c")));
  ASSERT_TRUE(cipher->encrypt(test::from_hex("3243f6a8885a308d313198a2e0370734"), out));
  EXPECT_EQ(test::Bytes(out.begin(), out.end()),
            test::from_hex("3925841d02dc09fbdc118597196a0b32"));
  ASSERT_TRUE(cipher->rekey(test::from_hex("000102030405060708090a0b0c0d0e0f")));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(cipher->encrypt(test::from_hex("00112233445566778899aabbccddeeff"), out));
    EXPECT_EQ(test::Bytes(out.begin(), out.end()),
              test::from_hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
  }
}

TEST(BlockCipher, RefusesKeysAndBlocksOfTheWrongSize) {
  auto cipher = BlockCipher::make();
  ASSERT_TRUE(cipher);
  EXPECT_EQ(cipher->rekey(test::Bytes(15)).error().code, Errc::system);
  ASSERT_TRUE(cipher->rekey(test::Bytes(16)));
  BlockCipher::Block out{};
  EXPECT_EQ(cipher->encrypt(test::Bytes(17), out).error().code, Errc::system);
  EXPECT_FALSE(BlockCipher().valid());
}

}  // namespace
}  // namespace sluice::crypto
