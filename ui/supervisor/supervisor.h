// supervisor/supervisor.h - starts both planes, keeps them running, and ends them in order.
//
//   running --INT, TERM--> drain data plane --5 s: KILL--> drain control plane --5 s: KILL--> done
//           --HUP--> the control plane reloads            a second INT or TERM: KILL both
//           --a plane fails for good at first--> drain, and its exit code is ours
//
// The data plane drains first: what it counted last is acknowledged when it is stored, and names
// are served until the capture that redirects them is gone. Thread: main; one poll loop over a
// signalfd and links, which waits for nobody, the reader of standard error included (log_writer.h).
#pragma once

#include <array>

#include "proto/common/clock.h"
#include "proto/common/unique_fd.h"
#include "ui/supervisor/config_file.h"
#include "ui/supervisor/plane.h"

namespace sluice::supervisor {

inline constexpr Millis kDrainTimeout{5'000};
/// One Ctrl-C may arrive twice: from the terminal and from a script that passes it on. A second
/// request within this is the same one; later it means "now", and the planes are killed.
inline constexpr Millis kSecondAsk{1'000};

class Supervisor {
 public:
  Supervisor(Plane data, Plane control, ConfigFile config)
      : planes_{std::move(data), std::move(control)}, config_(std::move(config)) {}

  /// Blocks the signals it handles, runs until both planes have ended for good, and returns our
  /// exit code.
  int run();

 private:
  // Draining goes through the planes in this order.
  static constexpr std::size_t kData = 0;
  static constexpr std::size_t kControl = 1;
  static constexpr std::size_t kPlanes = 2;

  void start_due(Moment now);
  void wait_for_events(Moment now);
  void take_signals();
  void asked_to_stop(Moment now);
  void reap(Moment now);
  void serve_link(std::size_t which);
  void begin_drain(int exit_code);
  void advance_drain(Moment now);
  bool start_to_clean(Moment now);
  [[nodiscard]] Moment next_moment() const noexcept;
  [[nodiscard]] bool finished() const noexcept;

  std::array<Plane, kPlanes> planes_;
  ConfigFile config_;
  UniqueFd signals_;
  bool draining_ = false;
  std::size_t drained_ = 0;  // planes below are gone
  bool cleaned_ = false;     // start_to_clean() was tried
  Moment asked_at_{};        // when a stop was first asked for
  Moment kill_at_ = Moment::never();
  int exit_code_ = 0;
};

}  // namespace sluice::supervisor
