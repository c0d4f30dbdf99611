#include "dataplane/app/address_watch.h"

#include <utility>

#include "proto/runtime/process/descriptors.h"

namespace sluice::app {
namespace {

constexpr Millis kSettle{3'000};

}  // namespace

Result<std::unique_ptr<AddressWatch>> AddressWatch::make(Loop& home,
                                                         std::function<void()> changed) {
  auto links = kernel::LinkWatch::open();
  if (!links) return fail(links.error());
  auto copy = duplicate(links->fd());
  if (!copy) return fail(copy.error());
  auto watch = Watch::make(home, std::move(*copy));
  if (!watch) return fail(watch.error());
  std::unique_ptr<AddressWatch> out(new AddressWatch(home, std::move(*links), std::move(changed)));
  out->watch_ = std::move(*watch);
  out->watch_->set_sink(out.get());
  return out;
}

void AddressWatch::on_ready() noexcept {
  watch_->clear_readable();
  if (links_.drain() && !armed()) home_.arm(*this, home_.now() + kSettle);
}

}  // namespace sluice::app
