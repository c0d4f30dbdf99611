#include "controlplane/app/flow_watches.h"

#include <utility>

#include "controlplane/app/client_labels.h"

namespace sluice::control_plane {

void FlowTableModel::apply(const contract::FlowEvents& events) {
  if (events.reset) by_id_.clear();
  for (const contract::FlowInfo& flow : events.flows) by_id_[flow.id] = flow;
  for (const contract::FlowProgress& progress : events.progress) {
    const auto found = by_id_.find(progress.id);
    if (found == by_id_.end()) continue;
    found->second.upload = progress.upload;
    found->second.download = progress.download;
    found->second.upload_packets = progress.upload_packets;
    found->second.download_packets = progress.download_packets;
  }
  for (const contract::FlowInfo& flow : events.closed) by_id_.erase(flow.id);
}

std::vector<contract::FlowInfo> FlowTableModel::flows() const {
  std::vector<contract::FlowInfo> out;
  out.reserve(by_id_.size());
  for (const auto& [id, flow] : by_id_) out.push_back(flow);
  return out;
}

void FlowWatches::watch(Millis interval, manage::WatcherPtr<manage::FlowTable> watcher) {
  push::DataPlaneClient* client = plane_.client();
  if (client == nullptr || !plane_.up())
    return watcher->end({manage::FaultKind::unavailable, "the data plane is away; try again"});
  auto watch = std::make_shared<Watch>();
  watch->watcher = std::move(watcher);
  watch->events = client->watch_flows(
      interval, plane_.at_home<const contract::FlowEvents&>(
                    [this, weak = std::weak_ptr(watch)](const contract::FlowEvents& events) {
                      if (const auto alive = weak.lock()) changed(alive, events);
                    }));
  watches_.push_back(watch);
  watch->watcher->on_over([this, weak = std::weak_ptr(watch)] {
    home_.post(make_job([this, weak] {
      if (const auto alive = weak.lock()) watches_.remove(alive);
    }));
  });
}

void FlowWatches::changed(const std::shared_ptr<Watch>& watch, const contract::FlowEvents& events) {
  watch->table.apply(events);
  plane_.hello([this, weak = std::weak_ptr(watch)](const contract::HelloReply& hello) {
    const auto alive = weak.lock();
    if (!alive) return;
    auto flows = alive->table.flows();
    auto clients = labels_of(clients_, std::span<const contract::FlowInfo>(flows));
    alive->watcher->push(
        {hello.upload_total, hello.download_total, std::move(flows), std::move(clients)});
  });
}

void FlowWatches::end(const manage::Fault& fault) {
  for (const auto& watch : std::exchange(watches_, {})) watch->watcher->end(fault);
}

}  // namespace sluice::control_plane
