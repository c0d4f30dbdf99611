#include "dataplane/crypto/secret.h"

#include <algorithm>
#include <array>

namespace sluice::crypto {
namespace {

TEST(Secret, RandomBytesFillTheWholeSpanAndDiffer) {
  std::array<std::byte, 64> a{};
  std::array<std::byte, 64> b{};
  ASSERT_TRUE(random_bytes(a));
  ASSERT_TRUE(random_bytes(b));
  EXPECT_NE(a, b);
  EXPECT_TRUE(
      std::ranges::any_of(std::span(a).last(16), [](std::byte x) { return x != std::byte{}; }));
}

TEST(Secret, EqualityNeedsSameSizeAndBytes) {
  EXPECT_TRUE(equal_secret(std::string_view("key"), "key"));
  EXPECT_FALSE(equal_secret(std::string_view("key"), "kex"));
  EXPECT_FALSE(equal_secret(std::string_view("key"), "ke"));
  EXPECT_TRUE(equal_secret(std::string_view(), std::string_view()));
}

TEST(Secret, WipeLeavesZeros) {
  std::array<std::byte, 8> bytes;
  bytes.fill(std::byte{0x55});
  wipe(bytes);
  EXPECT_EQ(bytes, (std::array<std::byte, 8>{}));
}

}  // namespace
}  // namespace sluice::crypto
