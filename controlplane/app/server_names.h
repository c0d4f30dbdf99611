// app/server_names.h - names of the servers that providers are fetched from, asked where the
// control plane asks all its names.
//
// Owner: RuleSets. Thread: home.
#pragma once

#include <string>
#include <vector>

#include "controlplane/dns/dns.h"
#include "controlplane/provider/name_lookup.h"

namespace sluice::control_plane {

class ServerNames final : public provider::NameLookup {
 public:
  /// Both outlive it and its lookups.
  ServerNames(Loop& home, dns::Dns& names) noexcept : home_(home), names_(names) {}

  [[nodiscard]] Task<Result<std::vector<IpAddress>>> lookup(std::string host, Until until) override;

 private:
  Loop& home_;
  dns::Dns& names_;
};

}  // namespace sluice::control_plane
