// helper/guard_rules.h - the plain table `inet sluice_guard`: what keeps a fail-closed LAN closed.
//
//   forward (filter, filter - 1): from a LAN device to any other, without the mark of packets that
//   the owned table let pass plainly: dropped.
//
// An owned table disappears with its process; this one stays, and then no packet carries the mark.
// Only a clean stop or `sluice capture open` removes it. Thread: one.
#pragma once

#include "dataplane/helper/commands.h"
#include "dataplane/helper/transaction.h"

namespace sluice::nft {

/// Creates or refills the guard for the table's LAN devices.
void build_guard(Transaction& transaction, const CaptureTable& table);

}  // namespace sluice::nft
