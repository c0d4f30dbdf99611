#include "dataplane/kernel/netlink.h"

#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include <cerrno>

namespace sluice::kernel {

namespace {

/// libnl folds errno into codes of its own; these are the ones that callers tell apart.
std::unexpected<Error> netlink_error(int code) noexcept {
  switch (code < 0 ? -code : code) {
    case NLE_EXIST:
      return fail(Errc::exists, Side::us, EEXIST);
    case NLE_OBJ_NOTFOUND:
    case NLE_NODEV:
      return fail(Errc::not_found, Side::us, ENOENT);
    case NLE_PERM:
      return fail(Errc::denied, Side::us, EPERM);
    case NLE_OPNOTSUPP:
    case NLE_AF_NOSUPPORT:
    case NLE_PROTO_MISMATCH:
      return fail(Errc::unsupported, Side::us, EOPNOTSUPP);
    case NLE_NOMEM:
      return fail(Errc::no_room, Side::us, ENOMEM);
    case NLE_INVAL:
      return fail(Errc::invalid, Side::us, EINVAL);
    default:
      return fail(Errc::system, Side::us, EIO);
  }
}

struct DumpVisit {
  NetlinkSocket::Visit visit;
  void* context;
};

int on_record(nl_msg* message, void* argument) {
  const auto* visit = static_cast<const DumpVisit*>(argument);
  visit->visit(visit->context, nlmsg_hdr(message));
  return NL_OK;
}

}  // namespace

void NetlinkMessage::Free::operator()(nl_msg* message) const noexcept {
  nlmsg_free(message);
}
void NetlinkSocket::Free::operator()(nl_sock* socket) const noexcept {
  nl_socket_free(socket);
}

NetlinkMessage::NetlinkMessage(int type, int flags, std::span<const std::byte> body)
    : message_(nlmsg_alloc_simple(type, flags | NLM_F_REQUEST)) {
  if (message_ && nlmsg_append(message_.get(), const_cast<std::byte*>(body.data()), body.size(),
                               NLMSG_ALIGNTO) < 0)
    message_.reset();
}

Result<NetlinkSocket> NetlinkSocket::open(int protocol) {
  NetlinkSocket socket(nl_socket_alloc());
  if (!socket.socket_) return fail(Errc::no_room, Side::us, ENOMEM);
  if (const int code = nl_connect(socket.get(), protocol); code < 0) return netlink_error(code);
  return socket;
}

Status NetlinkSocket::request(const NetlinkMessage& message) {
  if (!message.valid()) return fail(Errc::no_room, Side::us, ENOMEM);
  if (const int code = nl_send_auto(get(), message.get()); code < 0) return netlink_error(code);
  if (const int code = nl_wait_for_ack(get()); code < 0) return netlink_error(code);
  return {};
}

Status NetlinkSocket::dump(const NetlinkMessage& message, Visit visit, void* context) {
  if (!message.valid()) return fail(Errc::no_room, Side::us, ENOMEM);
  DumpVisit argument{visit, context};
  if (const int code = nl_socket_modify_cb(get(), NL_CB_VALID, NL_CB_CUSTOM, &on_record, &argument);
      code < 0)
    return netlink_error(code);
  int code = nl_send_auto(get(), message.get());
  if (code >= 0) code = nl_recvmsgs_default(get());
  (void)nl_socket_modify_cb(get(), NL_CB_VALID, NL_CB_DEFAULT, nullptr, nullptr);
  if (code < 0) return netlink_error(code);
  return {};
}

}  // namespace sluice::kernel
