// app/name_bridge.h - the names side meets the data plane and the store.
//
//   Dns ── bind(change) ──┬─> stats.db          (survives us)        ──┐
//                         └─> data plane's log  (survives it), workers ┴─> done: answer may leave
//
// The answer waits for both, but only the data plane can refuse: a store that cannot be written
// must not stop names. Owner: ControlPlane. Thread: home.
#pragma once

#include <memory>

#include "controlplane/app/plane_link.h"
#include "controlplane/dns/binding_sink.h"
#include "controlplane/stats/stats_store.h"

namespace sluice::control_plane {

class NameBridge final : public dns::BindingSink {
 public:
  NameBridge(Loop& home, PlaneLink& plane, stats::StatsStore& store)
      : home_(home), plane_(plane), store_(store) {}

  void bind(dns::BindingChange change, Done done) override;

 private:
  Loop& home_;
  PlaneLink& plane_;
  stats::StatsStore& store_;
};

}  // namespace sluice::control_plane
