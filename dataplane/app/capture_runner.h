// app/capture_runner.h - captures LAN traffic as a manifest asks, and keeps doing so.
//
// Owns the capture's sockets, the nft table (through the helper) and the policy routes. A helper
// that dies is started again at once and the table laid anew. The DNS redirect follows two things:
// the manifest wants it, and the control plane is there to answer.
//
// Owner: main(). Thread: home.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/app/descriptor_table.h"
#include "proto/contract/manifest.h"
#include "proto/contract/status.h"

namespace sluice::app {

/// Names of the capture's sockets in the descriptor table; `transport` is "tcp" or "udp".
[[nodiscard]] inline std::string capture_key(const char* transport, unsigned worker) {
  return std::string("capture/") + transport + "/" + std::to_string(worker);
}

/// One worker's descriptors of the capture's sockets.
struct CaptureShare {
  UniqueFd tcp;
  UniqueFd udp;
};

class CaptureRunner {
 public:
  virtual ~CaptureRunner() = default;

  /// Opens what `wanted` needs and is not open yet (sockets, and the workers' shares of them),
  /// aside: nothing is captured by them and nobody is told of them before engage(), which needs no
  /// more descriptors for them. Errors: the reason, one sentence.
  [[nodiscard]] virtual std::string prepare(const contract::Capture& wanted, unsigned workers) = 0;
  /// Captures as `wanted` says, or not at all when it names no interface; all or nothing: on
  /// failure the former state is back and what prepare() opened is closed. On success its sockets
  /// are in `table`. `fakes`: ranges that are captured though they are reserved. Returns the
  /// reason, empty on success.
  [[nodiscard]] virtual std::string engage(const contract::Capture& wanted,
                                           const std::vector<Prefix>& fakes,
                                           DescriptorTable& table) = 0;
  /// Closes what prepare() opened; engage() does not follow.
  virtual void discard() = 0;
  /// True when engage() put sockets into the table whose shares nobody took yet.
  [[nodiscard]] virtual bool has_shares() const = 0;
  /// These shares, one for each worker; empty when there are none.
  [[nodiscard]] virtual std::vector<CaptureShare> take_shares() = 0;
  /// The control plane answers names, or does not.
  virtual void set_names_served(bool served) = 0;
  /// Withdraws everything, the fail-closed guard too: for a clean stop.
  virtual void withdraw() = 0;
  /// As withdraw(), but a fail-closed guard stays: for an end that nobody asked for.
  virtual void abandon() = 0;
  /// Lifts a fail-closed guard (`sluice capture open`). Returns the reason, empty on success.
  [[nodiscard]] virtual std::string open_guard() = 0;

  [[nodiscard]] virtual contract::CaptureState state() const = 0;
  [[nodiscard]] virtual std::string error() const = 0;
  [[nodiscard]] virtual contract::Abilities abilities() const = 0;
  /// Ports of the capture's own sockets: a flow to them is a loop.
  [[nodiscard]] virtual std::vector<std::uint16_t> ports() const = 0;
};

}  // namespace sluice::app
