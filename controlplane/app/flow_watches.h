// app/flow_watches.h - whole flow tables for watchers, out of the data plane's differences.
//
//   WatchFlows stream ── events ──> FlowTableModel ── with the totals ──> Watcher
//
// Owner: ControlPlane. Thread: home.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "controlplane/app/plane_link.h"
#include "controlplane/clients/client_names.h"
#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "proto/contract/flow_events.h"

namespace sluice::control_plane {

/// The table that a stream of differences describes. Plain state.
class FlowTableModel {
 public:
  void apply(const contract::FlowEvents& events);
  /// By id, oldest first.
  [[nodiscard]] std::vector<contract::FlowInfo> flows() const;

 private:
  std::map<std::uint64_t, contract::FlowInfo> by_id_;
};

class FlowWatches {
 public:
  FlowWatches(Loop& home, PlaneLink& plane, clients::ClientNames& clients)
      : home_(home), plane_(plane), clients_(clients) {}
  FlowWatches(const FlowWatches&) = delete;
  FlowWatches& operator=(const FlowWatches&) = delete;
  ~FlowWatches() = default;

  void watch(Millis interval, manage::WatcherPtr<manage::FlowTable> watcher);
  /// The data plane went away, or we stop: every stream ends with the fault.
  void end(const manage::Fault& fault);

 private:
  struct Watch {
    FlowTableModel table;
    manage::WatcherPtr<manage::FlowTable> watcher;
    push::Subscription events;
  };
  void changed(const std::shared_ptr<Watch>& watch, const contract::FlowEvents& events);

  Loop& home_;
  PlaneLink& plane_;
  clients::ClientNames& clients_;
  std::list<std::shared_ptr<Watch>> watches_;
};

}  // namespace sluice::control_plane
