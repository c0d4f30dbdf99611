// app/neighbour_watch.h - keeps the table of neighbours current while a rule needs it.
//
// News are handed on at once, then at most every kCalm: a LAN that is scanned must not make the
// workers change tables a thousand times a second.
//
// Owner: DataPlane. Thread: home.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/flow/engine.h"
#include "dataplane/kernel/neighbours.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::app {

class NeighbourWatch final : private WatchSink, private Timer {
 public:
  /// `publish` hands a table to the workers; nullptr: none.
  NeighbourWatch(Loop& home, std::function<void(flow::SharedNeighbours)> publish)
      : home_(home), publish_(std::move(publish)) {}

  /// Turned on, what the kernel knows is published inside this call.
  void want(bool on);

 private:
  static constexpr Millis kCalm{100};
  static constexpr Millis kRetry{1'000};

  void on_ready() noexcept override { read_news(); }
  void fire() noexcept override;
  Status open();
  void read_news() noexcept;
  void learn(const std::vector<kernel::Neighbour>& heard) noexcept;
  void publish() noexcept;

  Loop& home_;
  std::function<void(flow::SharedNeighbours)> publish_;
  bool wanted_ = false;
  std::optional<kernel::NeighbourSource> source_;
  std::unique_ptr<Watch> watch_;
  kernel::NeighbourBook book_;
  bool news_ = false;  ///< not published yet
};

}  // namespace sluice::app
