// app/signals.h - HUP, INT, TERM and the end of the supervisor, on the loop.
//
// Owner: main(). Thread: home.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::control_plane {

/// Reads a signalfd and says which signal came.
class SignalWatch final : public WatchSink {
 public:
  /// Errors: as Watch::make.
  static Result<std::unique_ptr<SignalWatch>> make(Loop& home, UniqueFd signals,
                                                   std::function<void(int)> came);

 private:
  explicit SignalWatch(std::function<void(int)> came) : came_(std::move(came)) {}
  void on_ready() noexcept override;

  std::function<void(int)> came_;
  std::unique_ptr<Watch> watch_;
};

/// Says when the far end of a socket is gone; reads nothing, so that answers stay for whoever asks.
class OrphanWatch final : public WatchSink {
 public:
  /// Watches a duplicate of `socket`. Errors: as Watch::make, no_descriptors.
  static Result<std::unique_ptr<OrphanWatch>> make(Loop& home, int socket,
                                                   std::function<void()> gone);

 private:
  explicit OrphanWatch(std::function<void()> gone) : gone_(std::move(gone)) {}
  void on_ready() noexcept override;

  std::function<void()> gone_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace sluice::control_plane
