// control/control_server.h - the data plane's end of the contract.
//
//   ControlServer server(core, std::move(listener), options, recovery::load(run_dir));
//   server.run();                     // the control thread; returns after stop()
//
// run() first replays what was found in the run directory (bindings, then the snapshot), then lets
// the control plane in. Two threads: the control thread (everything) and one that sleeps in accept.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/control/core.h"
#include "dataplane/recovery/recovery.h"
#include "proto/common/unique_fd.h"

namespace sluice::control {

struct Options {
  std::string run_dir;         ///< `dp/` of the run directory: snapshot, choices, binding log
  std::vector<uid_t> allowed;  ///< users that may connect; nobody else gets a byte through
  std::string program;         ///< "sluice-dataplane 0.1.0"
};

class ControlServer {
 public:
  /// `listener` listens on contract.sock (listen_unix). `core` outlives the server.
  ControlServer(Core& core, UniqueFd listener, Options options, recovery::Recovery recovery);
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  /// After run() has returned, or without it.
  ~ControlServer();

  /// Serves until stop(). At the end Core::attach(nullptr) has been called.
  void run();
  /// Ends run(): calls get a moment to finish. Any thread, any number of times.
  void stop();
  /// Everything is counted: hands it to the control plane, then calls `done` on the control thread.
  /// False, and `done` is not called, once stopped. Any thread.
  bool finish_counters(std::function<void()> done);
  /// Runs `work` on the control thread. False once stopped. Any thread.
  bool post(std::function<void()> work);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::control
