// kernel/reserved.h - destinations that are never captured, and prefix lists as sets take them.
#pragma once

#include <vector>

#include "proto/common/address.h"

namespace sluice::kernel {

/// Addresses that never lead to the Internet: this host, private, link-local, multicast, reserved
/// (RFC 6890 and its successors). Documentation prefixes are not among them: nothing is there, and
/// a rule may say so. Fake ranges lie inside and are decided before.
[[nodiscard]] std::vector<Prefix> reserved_prefixes();

/// Sorted, without doubles and without prefixes inside others: what an interval set accepts.
[[nodiscard]] std::vector<Prefix> disjoint(std::vector<Prefix> prefixes);

}  // namespace sluice::kernel
