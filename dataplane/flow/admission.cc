#include "dataplane/flow/admission.h"

#include <algorithm>

#include "dataplane/flow/acceptor.h"

namespace sluice::flow {

bool holds(const std::vector<Prefix>& prefixes, const IpAddress& address) noexcept {
  return std::ranges::any_of(prefixes, [&](const Prefix& p) { return p.contains(address); });
}

bool admit(const route::Snapshot& snapshot, const contract::Listener* listener, Request& request) {
  // The capture's port is the kernel's choice: no rule can name it.
  if (listener == nullptr) return request.inbound_name == kCaptureListener;
  if (holds(listener->denied_sources, request.source.ip)) return false;
  if (!listener->allowed_sources.empty() && !holds(listener->allowed_sources, request.source.ip))
    return false;
  request.inbound_port = listener->port;
  request.outbound =
      listener->outbound ? snapshot.outbound(*listener->outbound).name : std::string();
  return true;
}

}  // namespace sluice::flow
