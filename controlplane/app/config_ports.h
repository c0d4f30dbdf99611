// app/config_ports.h - what bringing a configuration into force needs from the rest of the program.
//
// Implemented by ControlPlane, and by fakes in tests. Thread: home; callbacks too.
#pragma once

#include <functional>
#include <vector>

#include "controlplane/app/prepare.h"
#include "controlplane/dns/options.h"
#include "controlplane/dns/server/listeners.h"
#include "proto/contract/manifest.h"

namespace sluice::control_plane {

class ConfigPorts {
 public:
  ConfigPorts() = default;
  ConfigPorts(const ConfigPorts&) = delete;
  ConfigPorts& operator=(const ConfigPorts&) = delete;
  virtual ~ConfigPorts() = default;

  /// `first` is about to be tried: what must be there before anything is pushed. Once for the file,
  /// again for the last good configuration when it stands in.
  virtual void starting(const Running& first) = 0;

  /// Runs `job` where it may block, then `then` on home. One at a time, in order.
  virtual void work(std::function<void()> job, std::function<void()> then) = 0;

  /// Makes the names side follow `options`; what could not be opened comes back.
  virtual std::vector<dns::ListenProblem> serve_names(const dns::DnsOptions& options) = 0;
  [[nodiscard]] virtual std::vector<contract::DnsPort> hijack_ports() const = 0;

  [[nodiscard]] virtual bool data_plane_up() const = 0;
  /// `done` comes when the data plane has judged the manifest; while it is away: when it is back.
  virtual void push(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
                    std::function<void(contract::Verdict)> done) = 0;

  /// `running` is in force everywhere: log level, stores, what status shows.
  virtual void adopted(const RunningPtr& running) = 0;
};

}  // namespace sluice::control_plane
