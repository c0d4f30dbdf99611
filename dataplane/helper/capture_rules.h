// helper/capture_rules.h - the owned table `inet sluice`, from a CaptureTable.
//
//   prerouting (filter, mangle - 1)            dstnat (nat, dstnat - 1)
//     connected transparent socket: to us        from LAN -> dns: port 53 to our DNS
//     lo with our mark -> caught                 from LAN: ping of a fake address: answered here
//     from LAN -> lan                            redirect mode: captured TCP to the listener
//   lan                                        output (route, mangle - 1), nat_output (nat, -101)
//     port 53 of a hijack: accept                the same decisions for router traffic
//     fake destination -> fake                 input (filter, filter - 1)
//     reply, not TCP/UDP -> plain                drops what reached a listener uninvited
//     decided before -> caught
//     older than the rules -> plain            plain    passes; while fail-closed marked for the
//     guard bypass -> plain                          caught   to the listeners; unmarked if none
//     answers
//     -> caught                                fake     caught, or dropped: never leaves
//
// A flow is decided once, at its first packet, and the decision kept in its connection mark: flows
// older than the rules are left alone, and later packets cost one comparison. A LAN packet that
// neither `plain` nor a listener took carries no mark, so the guard drops it while fail-closed.
// Sources of the order: docs/decisions and the cases B091, B092, B094 and B095. Thread: one.
#pragma once

#include "dataplane/helper/commands.h"
#include "dataplane/helper/transaction.h"

namespace sluice::nft {

/// Creates the table or, when it exists, empties its chains; then fills them. The prefix sets that
/// commands fill (`direct4`, `hosts4` ...) keep their elements.
void build_capture_table(Transaction& transaction, const CaptureTable& table);

/// Empties the chain that redirects LAN port 53 and, with `on`, fills it again.
void rebuild_dns_chain(Transaction& transaction, const CaptureTable& table, bool on);

/// The named set for prefixes of `family` behind a SetId.
[[nodiscard]] const char* set_name(SetId set, Family family) noexcept;

}  // namespace sluice::nft
