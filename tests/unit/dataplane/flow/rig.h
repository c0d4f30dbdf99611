// One worker with an engine and a snapshot, for tests of flows.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "dataplane/flow/engine.h"
#include "proto/ruleset/builder.h"
#include "tests/unit/dataplane/flow/pair.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::flow {

inline const IpAddress kLoopback = IpAddress::v4(0x7f000001);

/// Keeps what is asked; answers nothing by itself.
class AskedNames final : public NameSource {
 public:
  void ask(contract::NameQuery query, unsigned) noexcept override {
    queries.push_back(std::move(query));
  }
  std::vector<contract::NameQuery> queries;
};

/// Keeps what is reported.
class Reports final : public EngineSink {
 public:
  void counted(unsigned, EngineTotals now,
               std::vector<contract::CounterDelta> more) noexcept override {
    totals = now;
    for (auto& delta : more) deltas.push_back(std::move(delta));
  }
  void flows_closed(std::vector<contract::FlowInfo> flows) noexcept override {
    for (auto& flow : flows) closed.push_back(std::move(flow));
  }
  EngineTotals totals;
  std::vector<contract::CounterDelta> deltas;
  std::vector<contract::FlowInfo> closed;
};

class EngineRig : public ::testing::Test {
 protected:
  void SetUp() override {
    worker = std::move(*Worker::make({0, pipe_bytes}, budget, owner));
    engine = std::make_unique<Engine>(*worker, 1, names, sink);
    use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
      rules.always();
      m.rules = {{"Match", "", 0}};
    });
  }
  void TearDown() override {
    worker->loop().end_roots();
    engine.reset();
    worker->snapshots().publish(nullptr);
  }

  /// `fill(builder, manifest)` writes the rules; outbounds are those of manifests.h.
  template <class F>
  void use_rules(F&& fill) {
    auto base = route::test::base();
    ruleset::Builder rules;
    fill(rules, base.manifest);
    route::test::set_rules(base, rules);
    base.manifest.fake_ranges = {*Prefix::parse("198.18.0.0/16")};
    auto built = route::build_snapshot(std::move(base.manifest), base.blobs, 1, nullptr);
    ASSERT_TRUE(built) << built.error().place << " " << built.error().reason;
    snapshots.push_back(std::move(*built));
    worker->snapshots().publish(snapshots.back().get());
  }
  template <class F>
  void turn_until(F&& done) {
    for (int i = 0; i < 400 && !done(); ++i) worker->loop().run_once(5_ms);
    ASSERT_TRUE(done());
  }

  std::size_t pipe_bytes = 0;  ///< the worker's share of pipes; set before SetUp()
  MemoryBudget budget{8U << 20U};
  NoOwner owner;
  AskedNames names;
  Reports sink;
  std::unique_ptr<Worker> worker;
  std::unique_ptr<Engine> engine;
  std::vector<std::unique_ptr<const route::Snapshot>> snapshots;
};

}  // namespace sluice::flow
