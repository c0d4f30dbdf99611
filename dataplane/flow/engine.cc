#include "dataplane/flow/engine.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/dial_service.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/listener_set.h"
#include "dataplane/flow/nat.h"

namespace sluice::flow {

bool OwnEndpoints::contains(const Endpoint& destination) const noexcept {
  return std::ranges::any_of(listeners, [&](const Endpoint& own) {
    if (own.port != destination.port) return false;
    if (own.ip == destination.ip) return true;
    if (!own.ip.is_unspecified()) return false;
    return destination.ip.is_loopback() || destination.ip.is_unspecified() ||
           is_local(destination.ip);
  });
}

bool OwnEndpoints::is_local(const IpAddress& address) const noexcept {
  return std::ranges::find(local, address) != local.end();
}

Engine::Engine(Worker& worker, unsigned workers, NameSource& names, EngineSink& sink)
    : worker_(worker),
      workers_(workers),
      sink_(sink),
      flows_(worker.index(), workers),
      names_(worker.loop(), names, worker.index()),
      owners_(worker.loop(), worker.index()),
      nat_(std::make_unique<Nat>(*this)),
      listeners_(std::make_unique<ListenerSet>(*this)) {
  worker_.loop().arm(*this, worker_.after(kAccountInterval));
}

Engine::~Engine() = default;

void Engine::keep(std::unique_ptr<DialService> dial) noexcept {
  dial_ = std::move(dial);
}

void Engine::apply_bindings(const SharedBatch& batch) {
  bindings_.apply(batch);
  for (const contract::Binding& b : batch->add) names_.remember_stale(b.name, b.last_good);
}

void Engine::set_needs(const route::FactNeeds& needs) noexcept {
  if (needs.dscp != needs_.dscp) listeners_->report_dscp(needs.dscp);
  needs_ = needs;
}

void Engine::report() {
  auto deltas = flows_.take_deltas();
  const Meter& bytes = flows_.totals();
  sink_.counted(worker_.index(), {flows_.count(), bytes.upload, bytes.download, nat_->counts()},
                std::move(deltas));
  if (auto closed = flows_.take_closed(); !closed.empty()) sink_.flows_closed(std::move(closed));
}

void Engine::fire() noexcept {
  report();
  unbuilt_.sweep(worker_.loop().now());
  worker_.loop().arm(*this, worker_.after(kAccountInterval));
}

}  // namespace sluice::flow
