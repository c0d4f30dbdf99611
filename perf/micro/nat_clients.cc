// micro/nat_clients - what a datagram costs the UDP table, by what the table knows of its client.
//
//   new_client/full    the table holds kAssociationsPerWorker clients: each new one evicts one
//   known_client/full  the same table; the clients take turns, so the cache never knows the next
//
// A rule refuses the destination, so that no socket is opened: the table and the decision remain.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>

#include "dataplane/flow/engine.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/nat.h"
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

/// One worker with a table that is full.
class Table {
 public:
  Table() {
    auto base = route::test::base();
    ruleset::Builder rules;
    rules.always();
    base.manifest.rules = {{"Match", "", base.manifest.reject}};
    route::test::set_rules(base, rules);
    snapshot_ = std::move(*route::build_snapshot(std::move(base.manifest), base.blobs, 1, nullptr));
    worker_->snapshots().publish(snapshot_.get());
    for (std::uint32_t i = 0; i < flow::kAssociationsPerWorker; ++i) forward(i);
  }
  ~Table() {
    engine_->nat().forget(replies_, {contract::CloseReason::stopped, "end"});
    engine_.reset();
    worker_->snapshots().publish(nullptr);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void forward(std::uint32_t client) {
    Packet packet{.data = room_.data(), .size = 100};
    facts_.source = {IpAddress::v4(0x0a000000U + client), 4000};
    engine_->nat().forward(replies_, facts_, to_, packet);
    engine_->nat().flush();
    // The deltas of its flow record leave as they do each second, so that none piles up.
    if (client % 1024 == 0) (void)engine_->flows().take_deltas();
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
  Table table;
  std::uint32_t client = flow::kAssociationsPerWorker;
  for (auto _ : state) table.forward(client++);
}

void known_client(benchmark::State& state) {
  Table table;
  std::uint32_t client = 0;
  for (auto _ : state) table.forward(client++ % flow::kAssociationsPerWorker);
}

BENCHMARK(new_client)->Name("new_client/full");
BENCHMARK(known_client)->Name("known_client/full");

}  // namespace

BENCHMARK_MAIN();
