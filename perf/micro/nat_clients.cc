// micro/nat_clients - what a datagram costs the UDP table, by what the table knows of its client.
//
//   new_client/full    the table holds kMappings clients: each new one evicts one
//   known_client/full/8192  the same table; the clients take turns, so the cache never knows the
//   next known_client/1     one client and one destination, as a burst comes insert/1000        a
//   table of 1,000 clients from nothing; KiB is all that it holds then lookup/N           a mapping
//   or a destination among N, in no order socks/known        the head of a SOCKS5 datagram taken
//   off, and known_client/1
//
// A rule refuses the destination, so that no socket is opened: the table and the decision remain.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "dataplane/flow/engine.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/nat.h"
#include "dataplane/protocol/socks/udp_head.h"
#include "perf/micro/count_allocations.h"
#include "proto/runtime/loop/frame_pool.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace {

using namespace sluice;

class NoNames final : public flow::NameSource {
 public:
  void ask(contract::NameQuery, unsigned) noexcept override {}
};
class NoSink final : public flow::EngineSink {
 public:
  void counted(unsigned, flow::EngineTotals,
               std::vector<contract::CounterDelta>) noexcept override {}
  void flows_closed(std::vector<contract::FlowInfo>) noexcept override {}
};
class NoOwner final : public SnapshotOwner {
 public:
  void on_released(const void*, unsigned) noexcept override {}
};
class NoReplies final : public flow::ClientSide {
 public:
  void reply(const Endpoint&, std::span<Packet>) noexcept override {}
};

/// One worker with a table of so many clients.
class Table {
 public:
  explicit Table(std::uint32_t clients) {
    auto base = route::test::base();
    ruleset::Builder rules;
    rules.always();
    base.manifest.rules = {{"Match", "", base.manifest.reject}};
    route::test::set_rules(base, rules);
    snapshot_ = std::move(*route::build_snapshot(std::move(base.manifest), base.blobs, 1, nullptr));
    worker_->snapshots().publish(snapshot_.get());
    fill(clients);
  }
  ~Table() {
    engine_->nat().forget(replies_, {contract::CloseReason::stopped, "end"});
    engine_.reset();
    worker_->snapshots().publish(nullptr);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void fill(std::uint32_t clients) {
    for (std::uint32_t i = 0; i < clients; ++i) forward(i);
    report();
  }
  void empty() { engine_->nat().forget(replies_, {contract::CloseReason::stopped, "end"}); }
  /// The deltas of flow records leave as they do each second, so that none piles up.
  void report() { (void)engine_->flows().take_deltas(); }
  /// A SOCKS5 datagram of a client, head and all.
  void forward_socks(ByteView wire) {
    std::memcpy(room_.data(), wire.data(), wire.size());
    Packet packet{.data = room_.data(), .size = wire.size()};
    const auto address = socks::take_udp_head(packet);
    const auto to = socks::to_destination(*address);
    facts_.source = {IpAddress::v4(0x0a000000U), 4000};
    engine_->nat().forward(replies_, facts_, *to, packet);
    engine_->nat().flush();
  }
  void forward(std::uint32_t client) {
    Packet packet{.data = room_.data(), .size = 100};
    facts_.source = {IpAddress::v4(0x0a000000U + client), 4000};
    engine_->nat().forward(replies_, facts_, to_, packet);
    engine_->nat().flush();
  }

 private:
  MemoryBudget budget_{8U << 20U};
  NoOwner owner_;
  NoNames names_;
  NoSink sink_;
  NoReplies replies_;
  std::unique_ptr<const route::Snapshot> snapshot_;
  std::unique_ptr<Worker> worker_ = std::move(*Worker::make({0, 0}, budget_, owner_));
  std::unique_ptr<flow::Engine> engine_ =
      std::make_unique<flow::Engine>(*worker_, 1, names_, sink_);
  std::array<std::byte, 2048> room_{};
  flow::Request facts_{.network = Network::udp};
  Destination to_{.ip = IpAddress::v4(0xc0000201), .port = 53};
};

void new_client(benchmark::State& state) {
  Table table(flow::kMappings);
  std::uint32_t client = flow::kMappings;
  for (auto _ : state) {
    table.forward(client++);
    if (client % 1024 == 0) table.report();
  }
}

void known_client(benchmark::State& state) {
  const auto clients = static_cast<std::uint32_t>(state.range(0));
  Table table(clients);
  std::uint32_t client = 0;
  const std::uint64_t before = perf::so_far();
  for (auto _ : state) {
    table.forward(client);
    if (++client == clients) client = 0;
  }
  perf::expect_none(state, before);
}

/// What the heap and the pool of this thread hold.
std::size_t held() {
  return ::mallinfo2().uordblks + frame_pool::held();
}

void insert(benchmark::State& state) {
  const auto clients = static_cast<std::uint32_t>(state.range(0));
  Table table(0);
  std::size_t most = 0;
  for (auto _ : state) {
    state.PauseTiming();
    table.empty();
    const std::size_t before = held();
    state.ResumeTiming();
    table.fill(clients);
    state.PauseTiming();
    most = std::max(most, held() - before);
    state.ResumeTiming();
  }
  state.counters["KiB"] = static_cast<double>(most) / 1024;
}

struct Known {
  Endpoint key;
};
struct KeyOf {
  const Endpoint& operator()(const Known& known) const noexcept { return known.key; }
};

void lookup(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<Known> all(count);
  flow::EndpointIndex<Known, KeyOf> index;
  for (std::size_t i = 0; i < count; ++i) {
    all[i].key = {IpAddress::v4(0x0a000000U + static_cast<std::uint32_t>(i)), 4000};
    index.insert(all[i]);
  }
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(index.find(all[at].key));
    at = (at + 7) % count;
  }
}

void socks_known(benchmark::State& state) {
  Table table(1);
  std::array<std::byte, 110> wire{};
  Writer out{wire};
  out.u16be(0);
  out.u8(0);
  socks::encode_address(Endpoint{IpAddress::v4(0xc0000201), 53}, out);
  const std::uint64_t before = perf::so_far();
  for (auto _ : state) table.forward_socks(wire);
  perf::expect_none(state, before);
}

BENCHMARK(new_client)->Name("new_client/full");
BENCHMARK(known_client)->Name("known_client/full")->Arg(flow::kMappings);
BENCHMARK(known_client)->Name("known_client")->Arg(1);
BENCHMARK(insert)->Name("insert")->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(lookup)->Name("lookup")->Arg(1)->Arg(1000)->Arg(8192);
BENCHMARK(socks_known)->Name("socks/known");

}  // namespace

BENCHMARK_MAIN();
