// provider/name_lookup.h - names of servers, asked where the control plane asks all its names.
//
// libcurl's own look-up would take a thread for each question and the machine's resolver, which on
// a router may be ourselves. Implemented by the app over the DNS room. Thread: the loop's.
#pragma once

#include <string>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::provider {

class NameLookup {
 public:
  NameLookup() = default;
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  virtual ~NameLookup() = default;

  /// Real addresses of `host`, never fake ones. Errors: no_address, timeout and those of the DNS
  /// room.
  [[nodiscard]] virtual Task<Result<std::vector<IpAddress>>> lookup(std::string host,
                                                                    Until until) = 0;
};

}  // namespace sluice::provider
