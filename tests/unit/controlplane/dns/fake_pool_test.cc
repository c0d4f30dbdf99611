#include "controlplane/dns/pool/fake_pool.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::dns {
namespace {

Prefix range(const char* text) {
  return *Prefix::parse(text);
}
IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}

TEST(FakePool, HandsOutInOrderFromTheFourthAddress) {
  FakePool pool(range("198.18.0.0/16"), 100);
  EXPECT_EQ(pool.reserve("a.test")->address, ip("198.18.0.4"));
  EXPECT_EQ(pool.reserve("b.test")->address, ip("198.18.0.5"));
  const auto again = pool.reserve("a.test");
  EXPECT_EQ(again->address, ip("198.18.0.4"));
  EXPECT_FALSE(again->fresh);
  EXPECT_EQ(pool.at(ip("198.18.0.5"))->name, "b.test");
  EXPECT_EQ(pool.at(ip("198.18.0.6")), nullptr);
  EXPECT_EQ(pool.at(ip("10.0.0.4")), nullptr);
}

TEST(FakePool, TheOldestNameLeavesWhenTheBoundIsReached) {
  FakePool pool(range("198.18.0.0/16"), 2);
  (void)pool.reserve("a.test");
  (void)pool.reserve("b.test");
  (void)pool.reserve("a.test");  // b is the oldest now
  const auto c = pool.reserve("c.test");
  EXPECT_EQ(c->evicted, ip("198.18.0.5"));
  EXPECT_EQ(c->address, ip("198.18.0.6"));
  EXPECT_EQ(pool.find("b.test"), nullptr);
  EXPECT_NE(pool.find("a.test"), nullptr);
}

TEST(FakePool, WrapsAndStepsOverNamesThatStayed) {
  FakePool pool(range("10.9.9.0/28"), 5);  // .4 … .14
  (void)pool.reserve("keep.test");
  for (int i = 0; i < 10; ++i) {
    (void)pool.reserve("n" + std::to_string(i));
    (void)pool.reserve("keep.test");
  }
  EXPECT_EQ(pool.reserve("last.test")->address, ip("10.9.9.5"));  // .14 was n9, .4 is kept
  EXPECT_EQ(pool.find("keep.test")->offset, 4U);
}

TEST(FakePool, AFullRangeReusesTheOldestAddress) {
  FakePool pool(range("10.9.9.0/29"), 100);  // .4 .5 .6
  EXPECT_EQ(pool.max_count(), 3U);
  for (const char* name : {"a", "b", "c"}) (void)pool.reserve(name);
  (void)pool.reserve("a");
  const auto d = pool.reserve("d");
  EXPECT_EQ(d->evicted, d->address);
  EXPECT_EQ(d->address, ip("10.9.9.5"));
}

TEST(FakePool, TinyRangesHoldNothing) {
  FakePool pool(range("10.9.9.0/30"), 100);
  EXPECT_EQ(pool.reserve("a").error().code, Errc::no_room);
}

TEST(FakePool, SixteenByteAddressesWorkTheSame) {
  FakePool pool(range("fdfe:dcba:9877::/64"), 100);
  EXPECT_EQ(pool.reserve("a")->address, ip("fdfe:dcba:9877::4"));
  EXPECT_EQ(pool.at(ip("fdfe:dcba:9877::4"))->name, "a");
  EXPECT_EQ(pool.at(ip("fdfe:dcba:9877:0:1::4")), nullptr);
  FakePool narrow(range("fd00::ab00/120"), 1000);
  EXPECT_EQ(narrow.max_count(), 0xfeU - 4 + 1);
  EXPECT_EQ(narrow.reserve("b")->address, ip("fd00::ab04"));
  EXPECT_EQ(narrow.at(ip("fd00::ab04"))->name, "b");
}

TEST(FakePool, AcknowledgementNeedsTheSamePair) {
  FakePool pool(range("198.18.0.0/16"), 1);
  const IpAddress a = pool.reserve("a")->address;
  pool.acknowledge("a", ip("198.18.0.9"));
  EXPECT_FALSE(pool.find("a")->acknowledged);
  pool.acknowledge("a", a);
  EXPECT_TRUE(pool.find("a")->acknowledged);
  const IpAddress b = pool.reserve("b")->address;  // evicts a
  pool.acknowledge("a", a);
  EXPECT_FALSE(pool.find("b")->acknowledged);
  pool.acknowledge("b", b);
  EXPECT_TRUE(pool.reserve("b")->acknowledged);
}

TEST(FakePool, ComesBackWithItsNamesOrderAndOffset) {
  FakePool before(range("198.18.0.0/16"), 3);
  for (const char* name : {"a", "b", "c"}) (void)before.reserve(name);
  (void)before.reserve("a");
  FakePool after(range("198.18.0.0/16"), 3);
  for (const FakePool::Entry& e : before.entries())
    ASSERT_TRUE(after.restore(e.name, before.address_of(e)));
  after.set_next(before.next());
  EXPECT_EQ(after.reserve("a")->address, ip("198.18.0.4"));
  const auto d = after.reserve("d");
  EXPECT_EQ(d->evicted, ip("198.18.0.5"));  // b, the oldest
  EXPECT_EQ(d->address, ip("198.18.0.7"));
}

TEST(FakePool, RestoreRefusesWhatCannotBe) {
  FakePool pool(range("198.18.0.0/16"), 2);
  EXPECT_EQ(pool.restore("a", ip("10.0.0.4")).error().code, Errc::invalid);
  EXPECT_EQ(pool.restore("a", ip("198.18.0.3")).error().code, Errc::invalid);
  EXPECT_EQ(pool.restore("a", ip("198.18.255.255")).error().code, Errc::invalid);
  ASSERT_TRUE(pool.restore("a", ip("198.18.255.254")));
  EXPECT_EQ(pool.restore("a", ip("198.18.0.9")).error().code, Errc::exists);
  EXPECT_EQ(pool.restore("b", ip("198.18.255.254")).error().code, Errc::exists);
  ASSERT_TRUE(pool.restore("b", ip("198.18.0.4")));
  EXPECT_EQ(pool.restore("c", ip("198.18.0.5")).error().code, Errc::no_room);
  pool.set_next(65'535);
  EXPECT_EQ(pool.next(), 4U);
}

TEST(FakePool, ClearKeepsTheOffset) {
  FakePool pool(range("198.18.0.0/16"), 10);
  (void)pool.reserve("a");
  pool.clear();
  EXPECT_EQ(pool.at(ip("198.18.0.4")), nullptr);
  EXPECT_EQ(pool.reserve("a")->address, ip("198.18.0.5"));
}

}  // namespace
}  // namespace sluice::dns
