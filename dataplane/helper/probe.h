// helper/probe.h - asks the kernel for every feature that a table may need, without leaving a
// trace.
//
// A batch that ends in a message that must fail is checked message by message and then undone
// whole; the first refusal before that last message names what is missing. Modules are loaded by
// asking.
#pragma once

#include "dataplane/helper/transaction.h"

namespace sluice::nft {

/// error 0: nothing is missing. Else `where` names the first missing feature.
[[nodiscard]] Outcome probe_kernel(NftSocket& socket, ByteSpan room);

}  // namespace sluice::nft
