#include "dataplane/helper/guard_rules.h"

#include "dataplane/helper/netfilter_abi.h"

namespace sluice::nft {

void build_guard(Transaction& transaction, const CaptureTable& table) {
  constexpr char kChain[] = "forward";
  transaction.add_table(kGuardTableName, false);
  transaction.add_chain(kGuardTableName, kChain, {"filter", kHookForward, kPriorityFilter - 1});
  transaction.flush_chain(kGuardTableName, kChain);
  for (const LanDevice& device : table.lan)
    transaction.add_rule(
        Rule(kGuardTableName, kChain, "guard of a LAN device")
            .iifname(device.name)
            .oifname(device.name, Wanted::differs)
            .mark(MarkOf::packet, table.marks.mask, table.marks.bypass, Wanted::differs)
            .drop());
}

}  // namespace sluice::nft
