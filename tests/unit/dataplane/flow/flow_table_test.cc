#include "dataplane/flow/flow_table.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "tests/unit/dataplane/flow/pair.h"

namespace sluice::flow {
namespace {

contract::FlowInfo info(const char* host, const char* outbound) {
  contract::FlowInfo out;
  out.source = *Endpoint::parse("192.0.2.1:1000");
  out.destination.name = host;
  out.destination.port = 80;
  out.chains = {outbound};
  out.rule_index = 0;
  out.rule = "Match";
  return out;
}

TEST(FlowTable, IdsTellTheirWorker) {
  FlowTable table(2, 4);
  Flow a(table, info("a.test", "DIRECT"));
  Flow b(table, info("b.test", "DIRECT"));
  EXPECT_EQ(a.id() % 4, 2U);
  EXPECT_EQ(b.id() % 4, 2U);
  EXPECT_NE(a.id(), b.id());
  EXPECT_EQ(table.list().size(), 2U);
}

TEST(FlowTable, DeltasAddUpToTheBytesWhateverWhenTheyAreTaken) {
  FlowTable table(0, 1);
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  std::uint64_t flows = 0;
  const auto collect = [&] {
    for (const auto& d : table.take_deltas()) {
      up += d.upload;
      down += d.download;
      flows += d.flows;
    }
  };
  {
    Flow a(table, info("a.test", "DIRECT"));
    collect();
    a.meter.upload = 100;
    a.meter.download = 1000;
    collect();
    collect();
    Flow b(table, info("a.test", "DIRECT"));
    b.meter.upload = 1;
    b.meter.download = 2;
    a.meter.upload = 150;
    a.meter.download = 1500;
  }
  collect();
  EXPECT_EQ(up, 151U);
  EXPECT_EQ(down, 1502U);
  EXPECT_EQ(flows, 2U);
  EXPECT_TRUE(table.take_deltas().empty());
  EXPECT_EQ(table.totals().upload, 151U);
}

TEST(FlowTable, UndecidedFlowsAreNotCountedForAnybody) {
  FlowTable table(0, 1);
  {
    Flow a(table, contract::FlowInfo{});
  }
  EXPECT_TRUE(table.take_deltas().empty());
}

TEST(FlowTable, ClosesByIdAndAll) {
  FlowTable table(0, 1);
  Flow a(table, info("a.test", "DIRECT"));
  Flow b(table, info("b.test", "hk"));
  const std::uint64_t id = a.id();
  EXPECT_EQ(table.close({&id, 1}, {contract::CloseReason::closed_by_user, "closed by the user"}),
            1U);
  EXPECT_TRUE(a.scope.cancelled());
  EXPECT_FALSE(b.scope.cancelled());
  EXPECT_EQ(a.info.close_reason, "closed by the user");
  EXPECT_EQ(table.close({}, {contract::CloseReason::stopped, "all"}), 2U);
  EXPECT_EQ(a.info.close_reason, "closed by the user") << "the first reason stays";
}

TEST(FlowTable, RemovedOutboundsAndListenersTakeTheirFlowsAlong) {
  FlowTable table(0, 1);
  Flow a(table, info("a.test", "hk"));
  Flow b(table, info("b.test", "DIRECT"));
  b.info.inbound_name = "old";
  Flow c(table, info("c.test", "DIRECT"));
  const std::vector<std::string> outbounds{"hk"};
  const std::vector<std::string> listeners{"old"};
  table.close_removed(outbounds, listeners);
  EXPECT_TRUE(a.scope.cancelled());
  EXPECT_TRUE(b.scope.cancelled());
  EXPECT_FALSE(c.scope.cancelled());
}

/// An end whose own address is `local`.
std::unique_ptr<transport::SocketEnd> end_from(Worker& worker, const char* local) {
  auto listener = listen_tcp({*IpAddress::parse(local), 0});
  EXPECT_TRUE(listener);
  auto client = start_connect(local_endpoint(listener->get()), {});
  EXPECT_TRUE(client);
  pollfd waiting{listener->get(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 2000), 1);
  Endpoint peer;
  auto socket = Socket::adopt(worker.loop(), std::move(*accept_one(listener->get(), peer)));
  return std::make_unique<transport::SocketEnd>(std::move(*socket), worker.slices());
}

TEST(FlowTable, FlowsFromALostAddressEnd) {
  MemoryBudget budget{64U << 20U};
  NoOwner owner;
  const auto worker = std::move(*Worker::make({0, 4U << 20U}, budget, owner));
  const auto from_lost = end_from(*worker, "127.0.0.2");
  const auto from_kept = end_from(*worker, "127.0.0.3");
  FlowTable table(0, 1);
  Flow lost(table, info("a.test", "DIRECT"));
  const Towards lost_towards(lost, *from_lost);
  Flow kept(table, info("b.test", "DIRECT"));
  const Towards kept_towards(kept, *from_kept);
  Flow ended(table, info("c.test", "DIRECT"));
  {
    const Towards ended_towards(ended, *from_lost);
  }
  const Flow opening(table, info("d.test", "DIRECT"));
  const std::vector<IpAddress> gone{*IpAddress::parse("127.0.0.2"),
                                    *IpAddress::parse("2001:db8::1")};
  table.close_from(gone);
  EXPECT_TRUE(lost.scope.cancelled());
  EXPECT_FALSE(kept.scope.cancelled());
  EXPECT_FALSE(ended.scope.cancelled());
  EXPECT_FALSE(opening.scope.cancelled());
}

TEST(FlowTable, ClosedFlowsAreKeptOnlyWhileWatchedAndBounded) {
  FlowTable table(0, 1);
  {
    Flow a(table, info("a.test", "DIRECT"));
  }
  EXPECT_TRUE(table.take_closed().empty());
  table.watch(true);
  std::uint64_t last = 0;
  for (int i = 0; i < 3000; ++i) last = Flow(table, info("a.test", "DIRECT")).id();
  const auto closed = table.take_closed();
  ASSERT_EQ(closed.size(), 1024U);
  EXPECT_EQ(closed.back().id, last) << "the newest are kept, in their order";
  EXPECT_EQ(closed.front().id, last - 1023);
  EXPECT_EQ(closed.back().state, contract::FlowState::closed);
}

}  // namespace
}  // namespace sluice::flow
