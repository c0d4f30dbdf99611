#include "controlplane/app/name_bridge.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "tests/unit/controlplane/config_store/scratch.h"

namespace sluice::control_plane {
namespace {

/// Nothing is asked of it here: no data plane ever comes.
class NobodyHome final : public PlaneSink {
 public:
  void plane_served() override {}
  void plane_away() override {}
  void plane_refuses(const contract::Verdict&) override {}
  void plane_asks(const contract::NameQuery&, push::Done<contract::NameAnswer>) override {}
  std::vector<contract::Binding> everything_bound() override { return {}; }
  void counters_committed() override {}
};

dns::BindingChange change(const char* name, std::uint32_t address) {
  dns::BindingChange out;
  out.add.push_back({IpAddress::v4(address), name, true, {}});
  out.next_v4 = 9;
  return out;
}

TEST(NameBridge, WithoutADataPlaneTheAnswerMayNotLeaveButTheStoreHasIt) {
  const config_store::Scratch scratch;
  const auto home = *Loop::make();
  {
    stats::Writer writer;
    stats::StatsStore store({scratch.path("stats.db"), {}}, writer, 16);
    NobodyHome sink;
    PlaneLink plane(*home, sink, store);
    NameBridge bridge(*home, plane, store);
    std::optional<Status> outcome;
    bridge.bind(change("a.test", 0xc6120004), [&](const Status& status) { outcome = status; });
    EXPECT_FALSE(outcome) << "never from inside bind()";
    const Moment end = monotonic_now() + Millis{10'000};
    while (!outcome && monotonic_now() < end) home->run_once(Millis{20});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->error().code, Errc::unreachable);
    writer.stop();
  }
  stats::Writer writer;
  stats::StatsStore store({scratch.path("stats.db"), {}}, writer, 16);
  const stats::StoredBindings stored = store.take_bindings();
  ASSERT_EQ(stored.bindings.size(), 1U);
  EXPECT_EQ(stored.bindings[0].name, "a.test");
  EXPECT_EQ(stored.next_v4, 9U);
  writer.stop();
}

TEST(NameBridge, AStoreThatIsClosedStillLetsTheChangeEnd) {
  const config_store::Scratch scratch;
  const auto home = *Loop::make();
  stats::Writer writer;
  stats::StatsStore store({scratch.path("stats.db"), {}}, writer, 16);
  writer.stop();
  NobodyHome sink;
  PlaneLink plane(*home, sink, store);
  NameBridge bridge(*home, plane, store);
  std::optional<Status> outcome;
  bridge.bind(change("a.test", 0xc6120004), [&](const Status& status) { outcome = status; });
  EXPECT_FALSE(outcome);
  const Moment end = monotonic_now() + Millis{10'000};
  while (!outcome && monotonic_now() < end) home->run_once(Millis{20});
  EXPECT_TRUE(outcome);
}

}  // namespace
}  // namespace sluice::control_plane
