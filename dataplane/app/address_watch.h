// app/address_watch.h - tells when this machine's addresses changed, with or without capture.
//
// News come in bursts, and a link that flaps loses its IPv6 addresses for a moment: the call comes
// once things had time to settle.
//
// Owner: main(). Thread: home.
#pragma once

#include <functional>
#include <memory>

#include "dataplane/kernel/lan_addresses.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::app {

class AddressWatch final : private WatchSink, private Timer {
 public:
  /// Errors: no_descriptors, system.
  [[nodiscard]] static Result<std::unique_ptr<AddressWatch>> make(Loop& home,
                                                                  std::function<void()> changed);

 private:
  AddressWatch(Loop& home, kernel::LinkWatch links, std::function<void()> changed)
      : home_(home), links_(std::move(links)), changed_(std::move(changed)) {}
  void on_ready() noexcept override;
  void fire() noexcept override { changed_(); }

  Loop& home_;
  kernel::LinkWatch links_;
  std::unique_ptr<Watch> watch_;
  std::function<void()> changed_;
};

}  // namespace sluice::app
