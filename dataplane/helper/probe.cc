#include "dataplane/helper/probe.h"

#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>

#include "dataplane/helper/netfilter_abi.h"

namespace sluice::nft {

namespace {

constexpr char kProbeTable[] = "sluice_probe";
// Removing a table that cannot exist ends the batch.
constexpr char kAbsentTable[] = "sluice_probe_end";

Rule rule(const char* chain, const char* needs) {
  return {kProbeTable, chain, needs};
}

void ask_for_expressions(Transaction& out) {
  constexpr std::uint32_t kMark = 1;
  constexpr std::uint16_t kPort = 1;
  constexpr std::array<std::uint32_t, 1> kLocal{RTN_LOCAL};
  constexpr std::array<std::uint16_t, 2> kPorts{1, 2};
  out.add_rule(rule("filter", "nft_ct").connection_new(Wanted::equals).reply_direction());
  out.add_rule(
      rule("filter", "nft_ct with connection marks").mark_set(MarkOf::connection, kMark, kMark));
  out.add_rule(rule("filter", "nft_socket").l4proto(IPPROTO_TCP).transparent_socket());
  out.add_rule(
      rule("filter", "nft_fib_inet")
          .destination_type_in(out.add_constant_set(kProbeTable, KeyType::address_type, kLocal)));
  out.add_rule(rule("filter", "nft_tproxy")
                   .nfproto(kFamilyV4)
                   .l4proto(IPPROTO_TCP)
                   .tproxy(kFamilyV4, kPort));
  out.add_rule(rule("filter", "nft_tproxy for IPv6")
                   .nfproto(kFamilyV6)
                   .l4proto(IPPROTO_TCP)
                   .tproxy(kFamilyV6, kPort));
  out.add_rule(rule("filter", "nft_hash")
                   .nfproto(kFamilyV4)
                   .l4proto(IPPROTO_UDP)
                   .tproxy_hashed(kFamilyV4, out.add_port_map(kProbeTable, kPorts), kPorts.size()));
  out.add_rule(rule("nft_nat", "nft_redir").l4proto(IPPROTO_TCP).redirect(kPort));
}

}  // namespace

Outcome probe_kernel(NftSocket& socket, ByteSpan room) {
  Transaction out(room);
  out.add_table("sluice_probe_plain", false);
  out.add_table(kProbeTable, true);
  out.add_chain(kProbeTable, "filter", {"filter", kHookPrerouting, kPriorityMangle});
  out.add_chain(kProbeTable, "nft_nat", {"nat", kHookPrerouting, kPriorityDstnat});
  out.add_chain(kProbeTable, "chains of type route", {"route", kHookOutput, kPriorityMangle});
  ask_for_expressions(out);
  out.delete_table(kAbsentTable);
  Outcome outcome = out.commit(socket);
  if (outcome.where == "table to remove" && outcome.error == ENOENT) return {};
  if (outcome.error == EPERM) return {EPERM, "CAP_NET_ADMIN"};
  if (outcome.where == "batch" || outcome.where == "table") outcome.where = "nf_tables";
  if (outcome.where == "owned table") outcome.where = "nf_tables with owned tables (Linux 5.12)";
  // A batch that was committed would be a fault of ours; the table goes with this socket.
  if (outcome.error == 0) outcome.error = EPROTO;
  return outcome;
}

}  // namespace sluice::nft
