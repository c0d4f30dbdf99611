#include "dataplane/app/address_watch.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

namespace sluice::app {
namespace {

constexpr Millis kSettle{3'000};

}  // namespace

Result<std::unique_ptr<AddressWatch>> AddressWatch::make(Loop& home,
                                                         std::function<void()> changed) {
  auto links = kernel::LinkWatch::open();
  if (!links) return fail(links.error());
  UniqueFd copy(::fcntl(links->fd(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return fail_errno(errno);
  auto watch = Watch::make(home, std::move(copy));
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
