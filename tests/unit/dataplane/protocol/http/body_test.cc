#include "dataplane/protocol/http/body.h"

#include "tests/support/empty_pool.h"
#include "tests/unit/dataplane/support/end_fixture.h"

namespace sluice::http {
namespace {

using namespace std::string_view_literals;

Result<BodyShape> of_request(const std::string& fields, const char* version = "1.1") {
  const std::string text = "POST /x HTTP/" + std::string(version) + "\r\n" + fields + "\r\n";
  return request_body(*parse_request_head(text));
}
Result<BodyShape> of_response(const std::string& fields, int status = 200,
                              const char* method = "GET") {
  const std::string text = "HTTP/1.1 " + std::to_string(status) + " x\r\n" + fields + "\r\n";
  return response_body(*parse_response_head(text), method);
}

TEST(BodyShape, OfRequests) {
  EXPECT_EQ(of_request("")->kind, BodyKind::none);
  EXPECT_EQ(*of_request("Content-Length: 5\r\n"), (BodyShape{BodyKind::length, 5}));
  EXPECT_EQ(of_request("Content-Length: 0\r\n")->kind, BodyKind::none);
  EXPECT_EQ(of_request("Transfer-Encoding: chunked\r\n")->kind, BodyKind::chunked);
  EXPECT_EQ(of_request("Content-Length: 9\r\nTransfer-Encoding: chunked\r\n")->kind,
            BodyKind::chunked);
  EXPECT_TRUE(of_request("Content-Length: 5\r\nContent-Length: 5\r\n"));
  for (const char* bad : {"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: -1\r\n",
                          "Content-Length: 5, 5\r\n", "Content-Length: 99999999999999999999\r\n",
                          "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, gzip\r\n",
                          "Transfer-Encoding: chunked, chunked\r\n"})
    EXPECT_EQ(of_request(bad).error().code, Errc::malformed) << bad;
  EXPECT_EQ(of_request("Transfer-Encoding: gzip, chunked\r\n").error().code, Errc::unsupported);
  EXPECT_EQ(of_request("Transfer-Encoding: chunked\r\n", "1.0").error().code, Errc::malformed);
}

TEST(BodyShape, OfResponses) {
  EXPECT_EQ(of_response("")->kind, BodyKind::until_close);
  EXPECT_EQ(of_response("Content-Length: 7\r\n")->length, 7U);
  EXPECT_EQ(of_response("Content-Length: 0\r\n")->kind, BodyKind::none);
  EXPECT_EQ(of_response("Transfer-Encoding: chunked\r\n")->kind, BodyKind::chunked);
  for (const int status : {100, 204, 304})
    EXPECT_EQ(of_response("Content-Length: 7\r\n", status)->kind, BodyKind::none);
  EXPECT_EQ(of_response("Content-Length: 7\r\n", 200, "HEAD")->kind, BodyKind::none);
}

class BodyTest : public test::EndFixture {
 protected:
  /// Takes `wire` in slices of `piece` bytes; gives the payload, "" and an error otherwise.
  Status take(BodyShape shape, std::string_view wire, std::size_t piece, std::string& payload) {
    BodyReader reader(shape);
    SliceQueue in;
    SliceQueue out;
    Status status;
    for (std::size_t at = 0; at < wire.size() && status; at += piece) {
      auto slice = Slice::make(pool);
      slice->append(as_byte_view(wire.substr(at, piece)));
      in.push_back(std::move(*slice));
      status = reader.take(in, out, pool);
    }
    payload = test::text_of(out);
    rest = test::text_of(in);
    done = reader.done();
    return status;
  }
  static constexpr BodyShape kChunked{BodyKind::chunked, 0};
  std::string rest;
  bool done = false;
};

TEST_F(BodyTest, LengthTakesExactlyItsBytes) {
  for (std::size_t piece = 1; piece <= 12; ++piece) {
    std::string payload;
    ASSERT_TRUE(take({BodyKind::length, 8}, "12345678next", piece, payload));
    EXPECT_EQ(payload, "12345678");
    EXPECT_EQ(rest, "next");
    EXPECT_TRUE(done);
  }
}

TEST_F(BodyTest, ChunkedBodiesLoseTheirFraming) {
  const auto wire = "5;name=\"v\"\r\nhello\r\n00B \r\n, wonderful\r\n0\r\nTrailer: x\r\n\r\nnext"sv;
  for (std::size_t piece = 1; piece <= wire.size(); ++piece) {
    std::string payload;
    ASSERT_TRUE(take(kChunked, wire, piece, payload)) << piece;
    EXPECT_EQ(payload, "hello, wonderful") << piece;
    EXPECT_EQ(rest, "next");
    EXPECT_TRUE(done);
  }
}

TEST_F(BodyTest, EveryPrefixOfAChunkedBodyIsNotDone) {
  const auto wire = "5\r\nhello\r\n0\r\n\r\n"sv;
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    std::string payload;
    EXPECT_TRUE(take(kChunked, wire.substr(0, cut), 3, payload));
    EXPECT_FALSE(done) << cut;
  }
  BodyReader reader(kChunked);
  EXPECT_EQ(reader.end_of_stream().error().code, Errc::truncated);
  BodyReader raw(BodyShape{BodyKind::until_close, 0});
  EXPECT_TRUE(raw.end_of_stream());
  EXPECT_TRUE(raw.done());
}

TEST_F(BodyTest, HostileChunksAreRefused) {
  std::string payload;
  for (const auto wire : {"x\r\n"sv, "\r\n"sv, "5\nhello"sv, ";\r\n"sv, "5\r\nhelloX"sv,
                          "5\r\nhello\rX"sv, "-5\r\n"sv, "5\rX"sv, "0\r\n\n"sv, "0\r\nA: b\n"sv})
    EXPECT_EQ(take(kChunked, wire, 100, payload).error().code, Errc::malformed) << wire;
  EXPECT_EQ(take(kChunked, "1111111111111111\r\n", 100, payload).error().code, Errc::too_large);
  EXPECT_EQ(take(kChunked, "5;" + std::string(kMaxChunkLine, 'x'), 9000, payload).error().code,
            Errc::too_large);
  EXPECT_EQ(take(kChunked, "0\r\nA: " + std::string(kMaxTrailers, 'x'), 9000, payload).error().code,
            Errc::too_large);
}

TEST_F(BodyTest, WriterFramesInTheRoomAroundTheSlices) {
  const std::string text = test::pattern(40000);
  SliceQueue payload = queue_of(text);
  test::empty_pool(pool);
  budget.set_bound(budget.used());
  BodyWriter writer(BodyKind::chunked);
  SliceQueue wire;
  ASSERT_TRUE(writer.put(payload, wire, pool));
  EXPECT_EQ(writer.finish(wire, pool).error().code, Errc::no_room);
  budget.set_bound(1024 * kBlockBytes);
  ASSERT_TRUE(writer.finish(wire, pool));
  std::string back;
  ASSERT_TRUE(take(kChunked, test::text_of(wire), 1000, back));
  EXPECT_EQ(back, text);
  EXPECT_TRUE(done);
}

TEST_F(BodyTest, WriterCopiesSlicesThatHaveNoRoom) {
  const std::string text = test::pattern(16352);
  auto full = Slice::make(pool, 0);
  full->append(as_byte_view(text));
  SliceQueue payload;
  payload.push_back(std::move(*full));
  BodyWriter writer(BodyKind::chunked);
  SliceQueue wire;
  ASSERT_TRUE(writer.put(payload, wire, pool));
  ASSERT_TRUE(writer.finish(wire, pool));
  std::string back;
  ASSERT_TRUE(take(kChunked, test::text_of(wire), 1000, back));
  EXPECT_EQ(back, text);
}

TEST_F(BodyTest, LackOfSlicesLosesNothing) {
  std::string wire;
  for (int i = 0; i < 10; ++i) wire += "800\r\n" + test::pattern(2048) + "\r\n";
  wire += "0\r\n\r\n";
  std::string expected;
  for (int i = 0; i < 10; ++i) expected += test::pattern(2048);
  bool whole = false;
  for (std::uint64_t blocks = 0; !whole; ++blocks) {
    ASSERT_LT(blocks, 20U);
    SliceQueue in = queue_of(wire);
    test::empty_pool(pool);
    budget.set_bound(budget.used() + blocks * kBlockBytes);
    BodyReader reader(kChunked);
    SliceQueue out;
    const Status first = reader.take(in, out, pool);
    whole = first.has_value();
    EXPECT_EQ(whole ? Errc::no_room : first.error().code, Errc::no_room);
    budget.set_bound(1024 * kBlockBytes);
    ASSERT_TRUE(reader.take(in, out, pool));
    EXPECT_EQ(test::text_of(out), expected);
    EXPECT_TRUE(reader.done());
  }
}

}  // namespace
}  // namespace sluice::http
