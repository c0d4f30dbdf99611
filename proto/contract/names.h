// contract/names.h - name questions from the data plane and bindings to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::contract {

/// Why a name is asked: decides which upstream set answers.
enum class NamePurpose : std::uint8_t { rule, direct, proxy_server, bootstrap };

struct NameQuery {
  std::uint64_t id = 0;  ///< chosen by the data plane, echoed
  std::string name;      ///< normal form
  NamePurpose purpose = NamePurpose::direct;
  std::uint8_t depth = 0;  ///< > 0: caused by resolving itself; refused
  bool v4 = true;
  bool v6 = true;
};

struct NameAnswer {
  std::uint64_t id = 0;
  std::vector<IpAddress> addresses;  ///< real ones, never from a fake pool
  std::uint32_t ttl_s = 0;
  Errc error = Errc::none;  ///< no_address, timeout, loop …
};

struct Binding {
  IpAddress address;  ///< from a fake range, or learned from an answer (redir-host)
  std::string name;   ///< normal form
  bool fake = true;
  std::vector<IpAddress> last_good;  ///< real addresses, used stale while names cannot be asked
};

/// Numbered batch. Acknowledged (by number) when every worker holds it and it is in the log of the
/// run directory. `number` counts up by one; after a reconnect the control plane sends a batch with
/// `replace` that holds everything.
struct BindingBatch {
  std::uint64_t number = 0;
  bool replace = false;  ///< forget all former bindings first
  std::vector<Binding> add;
  std::vector<IpAddress> remove;
};

}  // namespace sluice::contract
