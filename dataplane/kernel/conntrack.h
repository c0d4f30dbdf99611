// kernel/conntrack.h - makes the kernel forget flows that were redirected to our DNS.
//
// A DNAT lives in the connection's entry, not in the rule: after the redirect is withdrawn a client
// that keeps its socket would go on talking to a port where nobody answers. The redirect rule marks
// its connections, and one message deletes exactly those (docs/decisions/conntrack-deletion.md).
#pragma once

#include "dataplane/helper/commands.h"
#include "proto/common/result.h"

namespace sluice::kernel {

/// Deletes every entry, of both families, whose mark within `marks.mask` is `marks.dns`.
/// Errors: unsupported or not_built (no nf_conntrack_netlink in this kernel), denied, system.
[[nodiscard]] Status forget_dns_connections(const nft::Marks& marks);

}  // namespace sluice::kernel
