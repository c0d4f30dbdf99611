#include "controlplane/app/name_bridge.h"

#include <utility>

namespace sluice::control_plane {
namespace {

/// What is still missing before `done`. Shared by two callbacks, both on home.
struct Pending {
  int left = 2;
  bool held = false;  ///< by the data plane
  dns::BindingSink::Done done;

  void step() {
    if (--left > 0) return;
    done(held ? Status{} : Status(fail(Errc::unreachable, Side::upstream)));
  }
};

}  // namespace

void NameBridge::bind(dns::BindingChange change, Done done) {
  auto pending = std::make_shared<Pending>();
  pending->done = std::move(done);
  stats::BindingWrite write;
  write.remove = change.remove;
  write.add = change.add;
  write.next_v4 = change.next_v4;
  write.next_v6 = change.next_v6;
  // Never from inside this call: a refusal is posted, too.
  const auto stored = [this, pending] { home_.post(make_job([pending] { pending->step(); })); };
  if (!store_.save_bindings(std::move(write), [stored](const Status&) { stored(); })) stored();

  contract::BindingBatch batch;
  batch.add = std::move(change.add);
  batch.remove = std::move(change.remove);
  const auto judged = plane_.at_home<bool>([pending](bool held) {
    pending->held = held;
    pending->step();
  });
  if (push::DataPlaneClient* client = plane_.client())
    client->bind(std::move(batch), judged);
  else
    judged(false);
}

}  // namespace sluice::control_plane
