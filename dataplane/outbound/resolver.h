// outbound/resolver.h - the interface through which dialling asks names; implemented above.
#pragma once

#include <string>
#include <vector>

#include "proto/contract/names.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::outbound {

/// Thread: the worker's.
class NameResolver {
 public:
  /// Real addresses, best first; never empty on success.
  /// Errors: no_address, timeout, cancelled, unreachable (the control plane is away and nothing is
  /// known from before).
  virtual Task<Result<std::vector<IpAddress>>> resolve(std::string name,
                                                       contract::NamePurpose purpose,
                                                       Until until) = 0;

 protected:
  ~NameResolver() = default;
};

}  // namespace sluice::outbound
