#include "dataplane/flow/counter_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "dataplane/flow/flow_table.h"
#include "dataplane/flow/limits.h"

namespace {
std::size_t allocated = 0;
}  // namespace

// Not inlined: GCC would take free() for the wrong partner of operator new.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocated;
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* block) noexcept {
  std::free(block);
}
__attribute__((noinline)) void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace sluice::flow {
namespace {

contract::FlowInfo info(std::uint32_t client, std::string host) {
  contract::FlowInfo out;
  out.source = {IpAddress::v4(client), 1000};
  out.destination = {std::move(host), {}, 443};
  out.chains = {"a leaf whose name is longer than a string holds in place", "group"};
  out.rule_index = 0;
  out.rule = "DomainSuffix";
  out.rule_payload = "a-payload-that-is-long-enough.test";
  out.user = "somebody with a long user name";
  return out;
}

std::string host_of(std::uint32_t n) {
  return "host-" + std::to_string(n) + ".in-a-rather-long-domain.test";
}

TEST(CounterTable, FlowsOfOneKeyShareARowAndKeysStayApart) {
  CounterTable table;
  CounterRow& a = table.hold(info(1, "a.test"));
  EXPECT_EQ(&table.hold(info(1, "a.test")), &a);
  CounterRow& b = table.hold(info(2, "a.test"));
  CounterRow& c = table.hold(info(1, "b.test"));
  EXPECT_EQ(table.rows(), 3U);
  table.add(a, 1, 2, 1);
  table.add(a, 10, 20, 0);
  table.add(b, 5, 5, 1);
  EXPECT_EQ(table.take().size(), 2U) << "c has nothing to tell";
  table.add(c, 7, 8, 1);
  const auto deltas = table.take();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(deltas[0].key.host, "b.test");
  EXPECT_EQ(deltas[0].key.rule, "DomainSuffix,a-payload-that-is-long-enough.test");
  EXPECT_EQ(deltas[0].upload, 7U);
  EXPECT_EQ(deltas[0].flows, 1U);
}

TEST(CounterTable, AnAddressIsTheHostOfAFlowWithoutAName) {
  CounterTable table;
  contract::FlowInfo flow = info(1, "");
  flow.destination.ip = IpAddress::v4(0xc0000201);
  table.add(table.hold(flow), 1, 1, 1);
  EXPECT_EQ(table.take().at(0).key.host, "192.0.2.1");
}

TEST(CounterTable, PastItsBoundHostsAndThenClientsAreOtherAndNoByteIsLost) {
  CounterTable table;
  const std::size_t most = kCounterRows + kCounterRows / 8;
  const std::uint32_t flows = 3 * kCounterRows;
  for (std::uint32_t i = 0; i < flows; ++i) table.add(table.hold(info(i, host_of(i))), 1, 2, 1);
  EXPECT_LE(table.rows(), most + 1);
  std::uint64_t up = 0;
  std::uint64_t opened = 0;
  bool nobody = false;
  for (const auto& delta : table.take()) {
    up += delta.upload;
    opened += delta.flows;
    nobody = nobody || (!delta.key.client.valid() && delta.key.host == "other");
  }
  EXPECT_EQ(up, flows);
  EXPECT_EQ(opened, flows);
  EXPECT_TRUE(nobody);
}

TEST(CounterTable, RowsThatNobodyHoldsAreFreed) {
  CounterTable table;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    CounterRow& row = table.hold(info(i, host_of(i)));
    table.add(row, 1, 1, 1);
    table.let_go(row);
  }
  EXPECT_EQ(table.take().size(), 2000U);
  EXPECT_EQ(table.rows(), kIdleCounterRows);
}

TEST(FlowTable, ALifeAllocatesNothingOnceOthersLikeItWereThere) {
  FlowTable table(0, 1);
  const contract::FlowInfo request = info(1, host_of(1));
  const auto live = [&](const contract::FlowInfo& like) {
    contract::FlowInfo asked = like;
    asked.chains.clear();
    const std::size_t before = allocated;
    {
      Flow flow(table, asked);
      flow.undecided().chains.resize(2);
      flow.info.chains[0] = like.chains[0];
      flow.info.chains[1] = like.chains[1];
      flow.meter.upload += 100;
      flow.close_because({contract::CloseReason::client_closed, "ended"});
    }
    return allocated - before;
  };
  EXPECT_NE(live(request), 0U);
  EXPECT_EQ(live(request), 0U) << "the same key";
  (void)table.take_deltas();
  EXPECT_EQ(live(request), 0U) << "after what it counted was handed over";
}

}  // namespace
}  // namespace sluice::flow
