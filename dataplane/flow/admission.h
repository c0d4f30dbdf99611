// flow/admission.h - whom a listener lets in, and what it adds to what its clients ask for.
//
// One place for TCP and UDP. Thread: the worker's.
#pragma once

#include <vector>

#include "dataplane/flow/decide.h"
#include "proto/contract/manifest.h"

namespace sluice::flow {

[[nodiscard]] bool holds(const std::vector<Prefix>& prefixes, const IpAddress& address) noexcept;

/// Whether `listener`, which `request.inbound_name` names in `snapshot`, serves `request.source`;
/// deny wins, an empty allow list allows all (features.md section 1, lan-allowed-ips). Then the
/// request has the listener's port and its `proxy`, as they are now. nullptr: the capture's own
/// listener, which serves everybody; any other one is gone.
[[nodiscard]] bool admit(const route::Snapshot& snapshot, const contract::Listener* listener,
                         Request& request);

}  // namespace sluice::flow
