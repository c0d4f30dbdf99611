// A worker whose system calls fail by plan, a SOCKS listener on it, and an eye on what it holds.
#pragma once

#include "tests/unit/dataplane/flow/faults/plan.h"
#include "tests/unit/dataplane/flow/rig.h"

namespace sluice::flow {

/// What must be the same before and after a flow.
struct Held {
  std::size_t descriptors = 0;
  std::size_t slices = 0;
  std::size_t pipe_bytes = 0;
  std::size_t coroutines = 0;
  std::size_t flows = 0;
  std::size_t associations = 0;
  std::uint64_t budget = 0;
  friend bool operator==(const Held&, const Held&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Held& held);
};

class FaultWorld : public EngineRig {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Turns of the product's loop with `step` between them, until `done` or the patience ends.
  template <class Step, class Done>
  bool run(Step&& step, Done&& done, Millis patience = 5_s) {
    const Moment end = monotonic_now() + patience;
    while (!done()) {
      if (monotonic_now() >= end) return false;
      turn();
      step();
    }
    return true;
  }
  /// Waits until nobody is served any more, and gives idle memory back.
  void settle();
  [[nodiscard]] Held held();
  /// Reasons of the flows that ended since the last call.
  std::vector<std::string> reasons();

  Endpoint proxy;

 private:
  void turn();
};

/// Runs `life(plan)` with the call failing at its n-th use for n = 0, 1, … until one is untouched.
template <class Life>
void sweep(fault::Plan plan, Life&& life) {
  for (plan.nth = 0; plan.nth < 5000; ++plan.nth) {
    const std::string what = plan.text();
    SCOPED_TRACE(what);
    fault::arm(plan);
    life();
    fault::disarm();
    if (::testing::Test::HasFailure()) return;
    if (fault::fired()) continue;
    EXPECT_NE(plan.nth, 0U) << "this flow does not use the call";
    return;
  }
  ADD_FAILURE() << "no end: " << plan.text();
}

}  // namespace sluice::flow
