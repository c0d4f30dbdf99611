#include "proto/common/cursor.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Cursor, RoundTripsAndEveryPrefixIsShort) {
  std::array<std::byte, 64> room{};
  Writer out{room};
  out.u8(0x12);
  out.u16be(0x3456);
  out.u32be(0x789abcde);
  out.u64be(0x0123456789abcdefULL);
  out.u16le(0x1122);
  out.u32le(0x33445566);
  out.u64le(0x99aabbccddeeff00ULL);
  out.text("tail");
  ASSERT_FALSE(out.overflow());
  for (std::size_t cut = 0; cut <= out.size(); ++cut) {
    Reader in{out.written().first(cut)};
    const auto a = in.u8();
    const auto b = in.u16be();
    const auto c = in.u32be();
    const auto d = in.u64be();
    const auto e = in.u16le();
    const auto f = in.u32le();
    const auto g = in.u64le();
    const auto tail = in.take(4);
    EXPECT_EQ(in.short_read(), cut < out.size()) << cut;
    if (in.short_read()) continue;
    EXPECT_EQ(a, 0x12);
    EXPECT_EQ(b, 0x3456);
    EXPECT_EQ(c, 0x789abcdeU);
    EXPECT_EQ(d, 0x0123456789abcdefULL);
    EXPECT_EQ(e, 0x1122);
    EXPECT_EQ(f, 0x33445566U);
    EXPECT_EQ(g, 0x99aabbccddeeff00ULL);
    EXPECT_EQ(as_text(tail), "tail");
  }
}

TEST(Cursor, ShortReadSticksAndConsumesTheRest) {
  const std::array<std::byte, 3> wire{};
  Reader in{wire};
  in.u32be();
  EXPECT_TRUE(in.short_read());
  EXPECT_EQ(in.left(), 0U);
  in.take(0);
  EXPECT_TRUE(in.short_read());
}

TEST(Cursor, WriterNeverWritesPastItsRoom) {
  std::array<std::byte, 4> room{};
  Writer out{std::span(room).first(3)};
  out.u16be(1);
  out.u16be(0xffff);
  EXPECT_TRUE(out.overflow());
  out.u8(1);
  EXPECT_EQ(out.size(), 2U);
  EXPECT_EQ(room[3], std::byte{0});
}

}  // namespace
}  // namespace sluice
