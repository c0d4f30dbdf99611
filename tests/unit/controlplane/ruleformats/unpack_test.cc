#include "controlplane/ruleformats/unpack.h"

#include "controlplane/ruleformats/bounds.h"
#include "tests/unit/controlplane/ruleformats/zlib_pack.h"

namespace sluice::ruleformats {
namespace {

constexpr std::size_t kLimit = 300'000;

std::vector<std::byte> sample(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * i >> 3U);
  return out;
}

struct Codec {
  const char* name;
  std::vector<std::byte> (*pack)(ByteView);
  Outcome<std::vector<std::byte>> (*unpack)(ByteView, std::size_t);
};

class Unpack : public testing::TestWithParam<Codec> {};

INSTANTIATE_TEST_SUITE_P(
    Codecs, Unpack,
    testing::Values(Codec{"zlib", pack_zlib, unpack_zlib},
                    Codec{"zstd", [](ByteView plain) { return *pack_zstd(plain); }, unpack_zstd}),
    [](const auto& param) { return std::string(param.param.name); });

TEST_P(Unpack, GivesBackEverySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65'536},
                                 std::size_t{65'537}, kLimit - 1, kLimit}) {
    const auto plain = sample(size);
    const auto got = GetParam().unpack(GetParam().pack(plain), kLimit);
    ASSERT_TRUE(got) << size << " " << got.error().reason;
    EXPECT_EQ(*got, plain) << size;
  }
}

TEST_P(Unpack, EveryPrefixIsTruncated) {
  const auto packed = GetParam().pack(sample(5000));
  for (std::size_t cut = 0; cut < packed.size(); ++cut) {
    const auto got = GetParam().unpack(ByteView(packed).first(cut), kLimit);
    ASSERT_FALSE(got) << cut;
    EXPECT_EQ(got.error().code, Errc::truncated) << cut;
  }
}

TEST_P(Unpack, BombsStopAtTheLimit) {
  const auto bomb = GetParam().pack(std::vector<std::byte>(20'000'000));
  EXPECT_LT(bomb.size(), 30'000U);
  for (const std::size_t limit : {std::size_t{1}, std::size_t{65'536}, kLimit})
    EXPECT_EQ(GetParam().unpack(bomb, limit).error().code, Errc::too_large) << limit;
  EXPECT_EQ(GetParam().unpack(GetParam().pack(sample(kLimit + 1)), kLimit).error().code,
            Errc::too_large);
}

TEST_P(Unpack, DamageAndTrailingBytesAreRefused) {
  auto packed = GetParam().pack(sample(5000));
  packed.push_back(std::byte{'x'});
  packed.push_back(std::byte{'y'});
  packed.push_back(std::byte{'z'});
  packed.push_back(std::byte{'\n'});
  EXPECT_EQ(GetParam().unpack(packed, kLimit).error().code, Errc::malformed);
  EXPECT_EQ(GetParam().unpack(as_byte_view("<html>502 Bad Gateway</html>"), kLimit).error().code,
            Errc::malformed);
}

TEST(UnpackZstd, SeveralFramesAreOne) {
  auto packed = *pack_zstd(as_byte_view("one "));
  const auto second = *pack_zstd(as_byte_view("two"));
  packed.insert(packed.end(), second.begin(), second.end());
  EXPECT_EQ(as_text(*unpack_zstd(packed, 7)), "one two");
  EXPECT_EQ(unpack_zstd(packed, 6).error().code, Errc::too_large);
}

// RFC 8878 section 3.1.1.1.2: a window descriptor that asks for 2^41 bytes.
TEST(UnpackZstd, WindowsPastTheLimitAreRefusedBeforeTheyAreTaken) {
  const auto got = unpack_zstd(as_byte_view(std::string("\x28\xb5\x2f\xfd\x00\xf8", 6)), kLimit);
  EXPECT_EQ(got.error().code, Errc::too_large);
}

}  // namespace
}  // namespace sluice::ruleformats
