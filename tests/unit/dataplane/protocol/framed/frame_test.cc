#include "dataplane/protocol/framed/frame.h"

#include "tests/support/empty_pool.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/support/packets.h"

namespace sluice::framed {
namespace {

using namespace std::string_view_literals;

class FrameTest : public test::EndFixture {
 protected:
  static std::string frame(std::string_view payload, const Destination& to) {
    test::RoomyPacket packet(as_byte_view(payload));
    EXPECT_TRUE(push_frame_head(packet.packet, to));
    return std::string(as_text(packet.packet.bytes()));
  }
  /// "host:port payload" of the next frame, or "" when there is none.
  std::string next(SliceQueue& in) {
    auto got = reader.next(in, pool);
    EXPECT_TRUE(got);
    if (!got || !*got) return "";
    const Frame& one = **got;
    EXPECT_GE(one.packet.headroom, kHeadroom);
    EXPECT_GE(one.packet.tailroom, kTailroom);
    return socks::to_destination(one.address)->to_string() + " " +
           std::string(as_text(one.packet.bytes()));
  }
  FrameReader reader;
  Destination named = *Destination::from_host("example.com", 53);
  Destination plain = *Destination::from_host("8.8.8.8", 53);
};

TEST_F(FrameTest, RoundTripsAndEveryPrefixWaits) {
  const std::string wire = frame("query", named);
  EXPECT_EQ(wire, "\0\27\0\0\0\3\13example.com\0\65query"sv);
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    SliceQueue in = queue_of(std::string_view(wire).substr(0, cut));
    EXPECT_EQ(next(in), "") << cut;
    EXPECT_EQ(in.size(), cut);
  }
  SliceQueue in = queue_of(wire);
  EXPECT_EQ(next(in), "example.com:53 query");
  EXPECT_TRUE(in.empty());
}

TEST_F(FrameTest, SeveralFramesInOneReadAndEmptyPayloads) {
  SliceQueue in = queue_of(frame("a", plain) + frame("", named) + frame("c", plain));
  EXPECT_EQ(next(in), "8.8.8.8:53 a");
  EXPECT_EQ(next(in), "example.com:53 ");
  EXPECT_EQ(next(in), "8.8.8.8:53 c");
  EXPECT_EQ(next(in), "");
}

TEST_F(FrameTest, BadFramesAreSkippedAndTheStreamStaysInStep) {
  SliceQueue in = queue_of(std::string("\0\0"sv) + std::string("\0\4\0\0\0\1"sv) +
                           std::string("\0\13\0\0\1\1\10\10\10\10\0\65x"sv) + frame("ok", plain));
  EXPECT_EQ(next(in), "8.8.8.8:53 ok");
  EXPECT_EQ(reader.dropped(), 3U);
}

TEST_F(FrameTest, FrameLargerThanABlockIsPassedOverWithoutBeingKept) {
  SliceQueue in = queue_of("\377\377"sv);
  for (int i = 0; i < 65535 / 5; ++i) {
    ASSERT_TRUE(in.copy_in(pool, as_byte_view("AAAAA")));
    EXPECT_EQ(next(in), "");
    EXPECT_LE(in.size(), 5U);
  }
  ASSERT_TRUE(in.copy_in(pool, as_byte_view(frame("ok", plain))));
  EXPECT_EQ(next(in), "8.8.8.8:53 ok");
  EXPECT_EQ(reader.dropped(), 1U);
}

TEST_F(FrameTest, LargestFrameFitsAndALargerOneIsRefused) {
  const std::string text = test::pattern(kMaxFramePayload);
  SliceQueue in = queue_of(frame(text, plain));
  EXPECT_EQ(next(in), "8.8.8.8:53 " + text);
  test::RoomyPacket over(as_byte_view(text + "x"));
  EXPECT_EQ(push_frame_head(over.packet, plain).error().code, Errc::too_large);
  test::RoomyPacket tight(as_byte_view("x"), 11);
  EXPECT_EQ(push_frame_head(tight.packet, plain).error().code, Errc::no_room);
  EXPECT_EQ(tight.packet.size, 1U);
}

TEST_F(FrameTest, LackOfASliceLosesNothing) {
  SliceQueue in = queue_of(frame("later", plain));
  test::empty_pool(pool);
  budget.set_bound(0);
  EXPECT_EQ(reader.next(in, pool).error().code, Errc::no_room);
  budget.set_bound(1024 * kBlockBytes);
  EXPECT_EQ(next(in), "8.8.8.8:53 later");
}

}  // namespace
}  // namespace sluice::framed
