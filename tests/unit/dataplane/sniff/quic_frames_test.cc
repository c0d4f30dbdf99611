#include "dataplane/sniff/quic_frames.h"

#include "tests/unit/dataplane/sniff/quic_packets.h"

namespace sluice::sniff {
namespace {

using namespace test;

std::string gathered(std::string_view frames) {
  HelloBytes bytes;
  if (!take_crypto_frames(as_byte_view(frames), bytes)) return "garbled";
  return std::string(as_text(bytes.prefix()));
}

TEST(QuicFrames, EveryFrameOfAnInitialIsUnderstood) {
  const std::string crypto = crypto_frame(0, "hello");
  EXPECT_EQ(gathered(""), "");
  EXPECT_EQ(gathered(std::string("\0\0\1\0", 4) + crypto), "hello");
  EXPECT_EQ(gathered(crypto + std::string(900, '\0')), "hello");
  EXPECT_EQ(gathered(std::string("\x02\x09\x01\x00\x03", 5) + crypto), "hello");
  EXPECT_EQ(gathered(std::string("\x03\x09\x01\x01\x03\x01\x00\x07\x08\x09", 10) + crypto),
            "hello");
  EXPECT_EQ(gathered(std::string("\x1c\x0a\x00\x03why", 7) + crypto), "hello");
}

TEST(QuicFrames, OtherFramesAreGarbled) {
  for (const int type : {0x04, 0x05, 0x07, 0x08, 0x10, 0x18, 0x1d, 0x1e, 0x30})
    EXPECT_EQ(gathered(number(static_cast<std::uint64_t>(type), 1)), "garbled") << type;
}

TEST(QuicFrames, EveryProperPrefixOfAFrameIsGarbled) {
  for (const std::string& frame :
       {crypto_frame(100, std::string(70, 'x')), std::string("\x02\x40\x09\x01\x01\x03\x01\x00", 8),
        std::string("\x1c\x0a\x00\x03why", 7)}) {
    EXPECT_NE(gathered(frame), "garbled");
    for (std::size_t cut = 1; cut < frame.size(); ++cut)
      EXPECT_EQ(gathered(frame.substr(0, cut)), "garbled") << cut;
  }
}

TEST(QuicFrames, HugeNumbersAreGarbledOrPassedOver) {
  const std::string most(8, '\xff');  // 2^62 - 1
  EXPECT_EQ(gathered("\x06" + most + varint(1) + "x"), "");
  EXPECT_EQ(gathered("\x06" + varint(0) + most + "x"), "garbled");
  EXPECT_EQ(gathered(std::string("\x02\x01\x00", 3) + most + std::string(40, '\0')), "garbled");
}

}  // namespace
}  // namespace sluice::sniff
