#include "controlplane/dns/message/query.h"

#include <gtest/gtest.h>

#include "controlplane/dns/message/reply.h"
#include "tests/unit/controlplane/dns/wire.h"

namespace sluice::dns {
namespace {

using test::append;
using test::Bytes;
using test::Flags;
using test::from_hex;
using test::opt;

TEST(Query, ReadsWhatAClientAsks) {
  Bytes wire = test::message(0x1234, Flags::kQuery, "FK.test", type::kA, {0, 0, 1});
  append(wire, opt(4096, 0x8000));
  Query q;
  ASSERT_EQ(read_query(wire, q), Verdict::serve);
  EXPECT_EQ(q.id, 0x1234);
  EXPECT_TRUE(q.recursion_desired);
  EXPECT_EQ(q.question.type, type::kA);
  EXPECT_TRUE(std::ranges::equal(q.question.name.bytes(), test::labels("FK.test")));
  EXPECT_TRUE(q.has_edns);
  EXPECT_TRUE(q.dnssec_ok);
  EXPECT_EQ(reply_limit(q, Transport::udp), 1232U);
  EXPECT_EQ(reply_limit(q, Transport::tcp), 65535U);
}

TEST(Query, EveryPrefixIsDroppedOrAFormatError) {
  Bytes wire = test::message(7, Flags::kQuery, "a.test", type::kA, {0, 0, 1});
  append(wire, opt(1232));
  Query q;
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    const Verdict verdict = read_query(std::span(wire).first(cut), q);
    EXPECT_EQ(verdict, cut < 12 ? Verdict::drop : Verdict::format_error) << cut;
  }
  EXPECT_EQ(read_query(wire, q), Verdict::serve);
}

struct Case {
  const char* hex;
  Verdict verdict;
};

// B049.
TEST(Query, OddQueriesGetTheirVerdict) {
  const Case cases[] = {
      {"0001010000010000000000000776657273696f6e0462696e640000100003", Verdict::refused},
      {"000211000001000000000000017804746573740000010001", Verdict::not_implemented},
      {"000300000001000000000000017804746573740000010001", Verdict::serve},
      {"000401000002000000000000017804746573740000010001017804746573740000010001",
       Verdict::format_error},
      {"000501000000000000000000", Verdict::format_error},
      {"000601000001000000000000c00c00010001", Verdict::format_error},
      {"0007010000", Verdict::drop},
      {"0008818000010001000000000178047465737400000100010178047465737400000100010000003c0004cb00710"
       "8",
       Verdict::drop},
      {"000901000001000000000000017804746573740000fc0001", Verdict::refused},      // AXFR
      {"000a0100000100000000000101780474657374000001000100002904d000010000 0000",  // EDNS 1
       Verdict::bad_version},
      {"000b0100000100000000000201780474657374000001000100002904d0000000000000"
       "00002904d0000000000000",  // two OPT
       Verdict::format_error},
  };
  for (const Case& c : cases) {
    Query q;
    EXPECT_EQ(read_query(from_hex(c.hex), q), c.verdict) << c.hex;
  }
}

TEST(Query, RecursionDesiredIsCopiedIntoTheReply) {
  Query q;
  ASSERT_EQ(read_query(from_hex("000300000001000000000000017804746573740000010001"), q),
            Verdict::serve);
  std::array<std::byte, kMinReplyRoom> out;
  const std::size_t size = write_error(q, rcode::kServerFailure, out);
  const auto header = decode_header(std::span(out).first(size));
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->recursion_desired);
  EXPECT_TRUE(header->response);
  EXPECT_TRUE(header->recursion_available);
}

TEST(Query, VerdictsBecomeReplies) {
  std::array<std::byte, kMinReplyRoom> out;
  Query q;
  ASSERT_EQ(read_query(from_hex("000211000001000000000000017804746573740000010001"), q),
            Verdict::not_implemented);
  std::size_t size = write_verdict(q, Verdict::not_implemented, out);
  EXPECT_TRUE(std::ranges::equal(std::span(out).first(size), from_hex("000291840000000000000000")));
  ASSERT_EQ(read_query(from_hex("000a0100000100000000000101780474657374000001000100002904d00001"
                                "00000000"),
                       q),
            Verdict::bad_version);
  size = write_verdict(q, Verdict::bad_version, out);
  // BADVERS is 16: 0 in the header, 1 in the upper byte of OPT.
  EXPECT_TRUE(std::ranges::equal(
      std::span(out).first(size),
      from_hex("000a8180000100000000000101780474657374000001000100002904d0010000000000")));
  EXPECT_EQ(write_verdict(q, Verdict::drop, out), 0U);
}

TEST(Query, UpstreamQueryIsReadBackTheSame) {
  Query q;
  q.id = 0xbeef;
  q.question = {*WireName::from_text("x.test"), type::kAaaa, kClassIn};
  q.dnssec_ok = true;
  std::array<std::byte, kMaxQuery> out;
  const std::size_t size = write_query(q, true, out);
  Query back;
  ASSERT_EQ(read_query(std::span(out).first(size), back), Verdict::serve);
  EXPECT_EQ(back.id, q.id);
  EXPECT_TRUE(back.question == q.question);
  EXPECT_TRUE(back.recursion_desired);
  EXPECT_TRUE(back.dnssec_ok);
  EXPECT_EQ(back.udp_size, 1232);
  EXPECT_EQ(write_query(q, false, out), size - 11);
}

}  // namespace
}  // namespace sluice::dns
