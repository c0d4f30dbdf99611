#include "controlplane/dns/cache.h"

#include <gtest/gtest.h>

#include <string>

#include "controlplane/dns/bounds.h"

namespace sluice::dns {
namespace {

Query query(std::string_view name, std::uint16_t type = type::kA) {
  Query q;
  q.question = {*WireName::from_text(name), type, kClassIn};
  return q;
}
QuestionKey key(std::string_view name, std::uint16_t type = type::kA) {
  return QuestionKey(query(name, type), 0);
}
Cache::AnswerRef answer(std::uint32_t ttl_s, std::size_t size = 16) {
  auto out = std::make_shared<Answer>();
  out->ttl_s = ttl_s;
  out->body.resize(size);
  return out;
}
Moment at(std::int64_t seconds) {
  return {1'000'000 + seconds * 1000};
}

// B050: TTL 5, asked at 0, 2 and 7 s.
TEST(DnsCache, AgesAndExpires) {
  Cache cache(10, 1 << 20);
  cache.put(key("a.test"), answer(5), at(0));
  EXPECT_EQ(cache.find(key("a.test"), at(0))->age_s, 0U);
  EXPECT_EQ(cache.find(key("a.test"), at(2))->age_s, 2U);
  EXPECT_TRUE(cache.find(key("a.test"), Moment{at(5).ms - 1}));
  EXPECT_FALSE(cache.find(key("a.test"), at(5)));
}

TEST(DnsCache, KeysTellTypeAndFlagsApartButNotCase) {
  Cache cache(10, 1 << 20);
  cache.put(key("a.test"), answer(5), at(0));
  EXPECT_FALSE(cache.find(key("a.test", type::kAaaa), at(0)));
  Query secure = query("a.test");
  secure.dnssec_ok = true;
  EXPECT_FALSE(cache.find(QuestionKey(secure, 0), at(0)));
  EXPECT_FALSE(cache.find(QuestionKey(query("a.test"), 1), at(0)));
  EXPECT_FALSE(cache.find(key("b.test"), at(0)));
  std::array<std::byte, 20> wire{};
  Writer w{std::span(wire).subspan(12)};
  w.u8(1);
  w.text("A");
  w.u8(4);
  w.text("tEsT");
  w.u8(0);
  std::size_t start = 12;
  Query cased = query("b.test");
  cased.question.name = *read_name(wire, start);
  EXPECT_TRUE(cache.find(QuestionKey(cased, 0), at(0)));
}

TEST(DnsCache, ZeroTtlIsNotKept) {
  Cache cache(10, 1 << 20);
  cache.put(key("a.test"), answer(0), at(0));
  EXPECT_FALSE(cache.find(key("a.test"), at(0)));
  EXPECT_EQ(cache.find_stale(key("a.test"), at(0)), nullptr);
}

TEST(DnsCache, AnExpiredAnswerStaysAsStaleForADay) {
  Cache cache(10, 1 << 20);
  const auto known = answer(5);
  cache.put(key("a.test"), known, at(0));
  EXPECT_EQ(cache.find_stale(key("a.test"), at(100)), known);
  EXPECT_EQ(cache.find_stale(key("a.test"), at(5 + 86'400)), nullptr);
}

TEST(DnsCache, AFailureIsShortAndKeepsWhatWasKnown) {
  Cache cache(10, 1 << 20);
  const auto known = answer(5);
  const auto failure = answer(0);
  cache.put(key("a.test"), known, at(0));
  cache.put_failure(key("a.test"), failure, at(6));
  EXPECT_EQ(cache.find(key("a.test"), at(7))->answer, failure);
  EXPECT_FALSE(cache.find(key("a.test"), at(6 + kFailureTtl_s)));
  EXPECT_EQ(cache.find_stale(key("a.test"), at(7)), known);
  cache.put(key("a.test"), known, at(7));
  EXPECT_EQ(cache.find(key("a.test"), at(7))->answer, known);
  static_assert(kFailureTtl_s <= 5);
}

TEST(DnsCache, TheLeastRecentlyUsedLeaves) {
  Cache cache(2, 1 << 20);
  cache.put(key("a.test"), answer(50), at(0));
  cache.put(key("b.test"), answer(50), at(0));
  EXPECT_TRUE(cache.find(key("a.test"), at(1)));
  cache.put(key("c.test"), answer(50), at(1));
  EXPECT_FALSE(cache.find(key("b.test"), at(1)));
  EXPECT_TRUE(cache.find(key("a.test"), at(1)));
  cache.set_max_count(1);
  EXPECT_FALSE(cache.find(key("c.test"), at(1)));
  EXPECT_TRUE(cache.find(key("a.test"), at(1)));
}

/// How many of n0.test … are in the cache.
int held(Cache& cache, int count) {
  int out = 0;
  for (int i = 0; i < count; ++i)
    if (cache.find(key("n" + std::to_string(i) + ".test"), at(0))) ++out;
  return out;
}

TEST(DnsCache, BytesAreBoundedAndGivenBack) {
  Cache cache(1'000'000, 100'000);
  const auto fill = [&](int count) {
    for (int i = 0; i < count; ++i)
      cache.put(key("n" + std::to_string(i) + ".test"), answer(50, 1'000), at(0));
  };
  fill(1'000);
  EXPECT_TRUE(cache.find(key("n999.test"), at(0)));
  const int room = held(cache, 1'000);
  EXPECT_GT(room, 50);
  EXPECT_LE(room, 100);
  cache.flush();
  EXPECT_EQ(held(cache, 1'000), 0);
  for (int round = 0; round < 10; ++round) fill(room);  // replaced: counted once
  EXPECT_EQ(held(cache, room), room);
  cache.put(key("big.test"), answer(50, 200'000), at(0));  // larger than everything
  EXPECT_FALSE(cache.find(key("big.test"), at(0)));
}

}  // namespace
}  // namespace sluice::dns
