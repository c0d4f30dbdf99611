#include "dataplane/kernel/conntrack.h"

#include <arpa/inet.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <netlink/attr.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

#include "dataplane/kernel/netlink.h"

namespace sluice::kernel {

Status forget_dns_connections(const nft::Marks& marks) {
  Result<NetlinkSocket> socket = NetlinkSocket::open(NETLINK_NETFILTER);
  if (!socket) return fail(socket.error());
  // No tuple but a mark: the kernel walks the table and deletes what matches.
  const nfgenmsg head{AF_UNSPEC, NFNETLINK_V0, 0};
  constexpr int kDelete = (NFNL_SUBSYS_CTNETLINK << 8) | IPCTNL_MSG_CT_DELETE;
  const NetlinkMessage message(kDelete, NLM_F_ACK, std::as_bytes(std::span(&head, 1)));
  if (!message.valid()) return fail(Errc::no_room);
  nla_put_u32(message.get(), CTA_MARK, htonl(marks.dns));
  nla_put_u32(message.get(), CTA_MARK_MASK, htonl(marks.mask));
  return socket->request(message);
}

}  // namespace sluice::kernel
