#include "controlplane/dns/message/answer.h"

#include <gtest/gtest.h>

#include "controlplane/dns/message/reply.h"
#include "tests/unit/controlplane/dns/wire.h"

namespace sluice::dns {
namespace {

using test::append;
using test::Bytes;
using test::Flags;
using test::from_hex;
using test::labels;
using test::record;

const Bytes kSelf = from_hex("c00c");

Question question(std::string_view name, std::uint16_t type = type::kA) {
  return {*WireName::from_text(name), type, kClassIn};
}
Query query(std::string_view name, std::uint16_t type = type::kA) {
  Query q;
  q.id = 0x4242;
  q.recursion_desired = true;
  q.has_question = true;
  q.question = question(name, type);
  return q;
}
Bytes reply(const Query& q, const Answer& a, TtlPolicy ttl = {}, std::size_t limit = 65535) {
  Bytes out(65535);
  out.resize(write_reply(q, a, ttl, limit, out));
  return out;
}
std::vector<Record> records_of(const Bytes& message) {
  std::vector<Record> out;
  const auto header = decode_header(message);
  std::size_t at = kHeaderSize;
  EXPECT_TRUE(read_question(message, at));
  RecordWalker walker(message, *header, at);
  Record r;
  for (;;) {
    const auto more = walker.next(r);
    EXPECT_TRUE(more);
    if (!more || !*more) return out;
    out.push_back(r);
  }
}

Bytes soa(std::uint32_t minimum) {
  Bytes data = labels("ns.test");
  append(data, labels("me.test"));
  for (const std::uint32_t v : {1U, 2U, 3U, 4U, minimum}) test::put32(data, v);
  return data;
}

TEST(Answer, UpstreamMessageComesOutTheSameBehindTheClientsQuestion) {
  Bytes wire = test::message(0, Flags::kResponse, "a.test", type::kA, {2, 0, 1});
  append(wire, record(kSelf, type::kCname, 300, from_hex("0162c00e")));  // b.test, compressed
  append(wire, record(labels("b.test"), type::kA, 60, from_hex("cb007107")));
  append(wire, test::opt(4096));
  const auto received = decode_answer(wire, question("a.test"));
  ASSERT_TRUE(received);
  EXPECT_TRUE(received->had_edns);
  EXPECT_EQ(received->answer.ttl_s, 60U);
  EXPECT_EQ(addresses_of(received->answer).at(0).to_string(), "203.0.113.7");

  Query q = query("a.test");
  std::size_t at = 0;
  const Bytes cased = labels("A.tEsT");
  Bytes padded(12);
  append(padded, cased);
  at = 12;
  q.question.name = *read_name(padded, at);
  const Bytes out = reply(q, received->answer, {.age_s = 10});
  EXPECT_TRUE(std::ranges::equal(std::span(out).subspan(12, cased.size()), cased));
  const auto records = records_of(out);
  ASSERT_EQ(records.size(), 2U);  // OPT belongs to the hop
  EXPECT_EQ(records[0].ttl, 290U);
  EXPECT_TRUE(std::ranges::equal(records[0].data, labels("b.test")));
  EXPECT_EQ(records[1].ttl, 50U);
  EXPECT_EQ(records[1].owner.to_normal()->view(), "b.test");
  EXPECT_TRUE(answers_query(out, 0x4242, q.question));
}

TEST(Answer, EveryPrefixOfAnUpstreamMessageIsAnError) {
  Bytes wire = test::message(0, Flags::kResponse, "a.test", type::kA, {1, 1, 0});
  append(wire, record(kSelf, type::kA, 60, from_hex("cb007107")));
  append(wire, record(kSelf, type::kSoa, 60, soa(5)));
  for (std::size_t cut = 0; cut < wire.size(); ++cut)
    EXPECT_EQ(decode_answer(std::span(wire).first(cut), question("a.test")).error().code,
              Errc::truncated)
        << cut;
  EXPECT_TRUE(decode_answer(wire, question("a.test")));
}

TEST(Answer, DataThatDoesNotFitItsTypeIsMalformed) {
  const std::pair<std::uint16_t, const char*> cases[] = {
      {type::kA, "cb0071"},           {type::kAaaa, "cb007107"}, {type::kCname, "0161"},
      {type::kCname, "016100ff"},     {type::kMx, "00"},         {type::kSrv, "000000000000"},
      {type::kSoa, "00000001020304"}, {35, "0001000102"},        {type::kCname, "c024"},
  };
  for (const auto& [kind, hex] : cases) {
    Bytes wire = test::message(0, Flags::kResponse, "a.test", kind, {1, 0, 0});
    append(wire, record(kSelf, kind, 60, from_hex(hex)));
    EXPECT_EQ(decode_answer(wire, question("a.test", kind)).error().code, Errc::malformed)
        << kind << " " << hex;
  }
}

TEST(Answer, OnlyTheRightIdAndQuestionCount) {
  const Bytes wire = test::message(7, Flags::kResponse, "A.test", type::kA);
  EXPECT_TRUE(answers_query(wire, 7, question("a.test")));
  EXPECT_FALSE(answers_query(wire, 8, question("a.test")));
  EXPECT_FALSE(answers_query(wire, 7, question("b.test")));
  EXPECT_FALSE(answers_query(wire, 7, question("a.test", type::kAaaa)));
  EXPECT_FALSE(
      answers_query(test::message(7, Flags::kQuery, "a.test", type::kA), 7, question("a.test")));
  EXPECT_FALSE(answers_query(std::span(wire).first(11), 7, question("a.test")));
}

// RFC 2308 section 5: the smaller of the SOA's TTL and its minimum field.
TEST(Answer, NegativeTtlComesFromTheSoa) {
  for (const unsigned rcode : {0U, 3U}) {
    Bytes wire = test::message(0, Flags::kResponse | rcode, "a.test", type::kA, {0, 1, 0});
    append(wire, record(kSelf, type::kSoa, 900, soa(30)));
    EXPECT_EQ(decode_answer(wire, question("a.test"))->answer.ttl_s, 30U);
    const Bytes bare = test::message(0, Flags::kResponse | rcode, "a.test", type::kA);
    EXPECT_EQ(decode_answer(bare, question("a.test"))->answer.ttl_s, 0U);
  }
  const Bytes failed = test::message(0, Flags::kResponse | 2U, "a.test", type::kA);
  EXPECT_EQ(decode_answer(failed, question("a.test"))->answer.ttl_s, 0U);
}

TEST(Answer, TtlWithTheTopBitCountsAsZero) {
  Bytes wire = test::message(0, Flags::kResponse, "a.test", type::kA, {1, 0, 0});
  append(wire, record(kSelf, type::kA, 0x80000000U, from_hex("cb007107")));
  EXPECT_EQ(decode_answer(wire, question("a.test"))->answer.ttl_s, 0U);
}

// B044: whole records, TC, OPT kept.
TEST(Answer, LongRepliesAreCutAtRecords) {
  AnswerBuilder builder(question("big.test"));
  for (std::uint32_t i = 0; i < 100; ++i)
    builder.add_address(*WireName::from_text("big.test"), IpAddress::v4(0xcb007100 + i), 60);
  const Answer answer = std::move(builder).finish();
  Query q = query("big.test");
  const Bytes plain = reply(q, answer, {}, 512);
  EXPECT_LE(plain.size(), 512U);
  EXPECT_TRUE(decode_header(plain)->truncated);
  EXPECT_EQ(records_of(plain).size(), (512U - 12 - 14) / 16);

  q.has_edns = true;
  const Bytes edns = reply(q, answer, {}, 1232);
  EXPECT_LE(edns.size(), 1232U);
  EXPECT_TRUE(decode_header(edns)->truncated);
  EXPECT_EQ(records_of(edns).back().type, type::kOpt);

  const Bytes whole = reply(q, answer);
  EXPECT_FALSE(decode_header(whole)->truncated);
  EXPECT_EQ(records_of(whole).size(), 101U);
}

TEST(Answer, MissingAdditionalRecordsDoNotTruncate) {
  AnswerBuilder builder(question("a.test"));
  builder.add_address(*WireName::from_text("a.test"), IpAddress::v4(1), 60);
  builder.add(Section::additional, *WireName::from_text("ns.test"), type::kTxt, 60, Bytes(600));
  const Bytes out = reply(query("a.test"), std::move(builder).finish(), {}, 512);
  const auto header = decode_header(out);
  EXPECT_FALSE(header->truncated);
  EXPECT_EQ(header->answers, 1);
  EXPECT_EQ(header->additionals, 0);
}

TEST(Answer, NamesAreCompressedAgainstTheQuestionAndEarlierOwners) {
  AnswerBuilder builder(question("www.a.test"));
  builder.add_address(*WireName::from_text("x.b.test"), IpAddress::v4(1), 1);
  builder.add_address(*WireName::from_text("y.b.test"), IpAddress::v4(2), 1);
  builder.add_address(*WireName::from_text("x.b.test"), IpAddress::v4(3), 1);
  builder.add_address(WireName{}, IpAddress::v4(4), 1);
  const Answer answer = std::move(builder).finish();
  // x(2) b(2) ->test(2) | y(2) ->b(2) | ->x.b(2) | root(1), each with 14 bytes behind.
  EXPECT_EQ(answer.body.size(), 6U + 4 + 2 + 1 + 4 * 14);
  const auto records = records_of(reply(query("www.a.test"), answer));
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[1].owner.to_normal()->view(), "y.b.test");
  EXPECT_EQ(records[2].owner.to_normal()->view(), "x.b.test");
  EXPECT_TRUE(records[3].owner.is_root());
}

TEST(Answer, RecordsMoveBehindAnAlias) {
  AnswerBuilder inner(question("real.test"));
  inner.add_address(*WireName::from_text("real.test"), IpAddress::v4(9), 33);
  const Answer found = std::move(inner).finish();
  AnswerBuilder outer(question("alias.example"));
  outer.add_name(*WireName::from_text("alias.example"), type::kCname,
                 *WireName::from_text("real.test"), 10);
  ASSERT_TRUE(outer.add_all(question("real.test"), found));
  const auto records = records_of(reply(query("alias.example"), std::move(outer).finish()));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].owner.to_normal()->view(), "real.test");
  EXPECT_EQ(records[1].ttl, 33U);
}

}  // namespace
}  // namespace sluice::dns
