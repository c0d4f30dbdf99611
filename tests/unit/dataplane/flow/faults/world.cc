#include "tests/unit/dataplane/flow/faults/world.h"

#include <filesystem>
#include <iterator>
#include <ostream>
#include <utility>

#include "dataplane/flow/listener_set.h"
#include "dataplane/flow/nat.h"
#include "tests/support/empty_pool.h"

namespace sluice::flow {

std::ostream& operator<<(std::ostream& out, const Held& held) {
  return out << held.descriptors << " descriptors, " << held.slices << " slices, "
             << held.pipe_bytes << " bytes of pipes, " << held.coroutines << " coroutines, "
             << held.flows << " flows, " << held.associations << " associations, " << held.budget
             << " bytes of the budget";
}

void FaultWorld::SetUp() {
  EngineRig::SetUp();
  engine->flows().watch(true);
  auto listening = listen_tcp({kLoopback, 0});
  ASSERT_TRUE(listening);
  proxy = local_endpoint(listening->get());
  ListenerShare share;
  share.entrance = {contract::ListenerKind::mixed, "DEFAULT-MIXED"};
  share.tcp = std::move(*listening);
  engine->listeners().open(std::move(share));
}

void FaultWorld::TearDown() {
  fault::disarm();
  engine->listeners().close_all();
  EngineRig::TearDown();
}

void FaultWorld::turn() {
  const fault::Inside inside;
  worker->loop().run_once(1_ms);
}

void FaultWorld::settle() {
  const auto nobody = [&] {
    return worker->loop().root_count() == 0 && engine->flows().count() == 0;
  };
  EXPECT_TRUE(run([] {}, nobody)) << "somebody is still served";
  test::empty_pool(worker->slices());
  worker->pipes().trim(0);
}

Held FaultWorld::held() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return {.descriptors = static_cast<std::size_t>(std::distance(begin(open), end(open))),
          .slices = worker->slices().used_count(),
          .pipe_bytes = worker->pipes().held_bytes(),
          .coroutines = worker->loop().root_count(),
          .flows = engine->flows().count(),
          .associations = engine->nat().count(),
          .budget = budget.used()};
}

std::vector<std::string> FaultWorld::reasons() {
  engine->report();
  std::vector<std::string> out;
  for (const contract::FlowInfo& flow : std::exchange(sink.closed, {}))
    out.push_back(flow.close_reason);
  return out;
}

}  // namespace sluice::flow
