// kernel/netlink.h - one netlink request and its answer, over libnl-3.
//
// Thread: one per socket; calls block until the kernel has answered, which it does within the call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "proto/common/result.h"

struct nl_sock;
struct nl_msg;
struct nlmsghdr;

namespace sluice::kernel {

/// A message under construction; put attributes with libnl's nla_put_*.
class NetlinkMessage {
 public:
  /// `body` is the fixed header behind nlmsghdr (rtmsg, ifaddrmsg, nfgenmsg).
  NetlinkMessage(int type, int flags, std::span<const std::byte> body);

  [[nodiscard]] nl_msg* get() const noexcept { return message_.get(); }
  /// False when memory ran out.
  [[nodiscard]] bool valid() const noexcept { return message_ != nullptr; }

 private:
  struct Free {
    void operator()(nl_msg* message) const noexcept;
  };
  std::unique_ptr<nl_msg, Free> message_;
};

class NetlinkSocket {
 public:
  /// `protocol` is NETLINK_ROUTE or NETLINK_NETFILTER. Errors: system.
  [[nodiscard]] static Result<NetlinkSocket> open(int protocol);

  /// Sends and waits for the acknowledgement. Errors: the kernel's errno (exists, not_found ...).
  [[nodiscard]] Status request(const NetlinkMessage& message);

  /// Sends a dump request and hands each record to `visit(context, header)`. Errors: system.
  using Visit = void (*)(void* context, nlmsghdr* record);
  [[nodiscard]] Status dump(const NetlinkMessage& message, Visit visit, void* context);

  [[nodiscard]] nl_sock* get() const noexcept { return socket_.get(); }

 private:
  struct Free {
    void operator()(nl_sock* socket) const noexcept;
  };
  explicit NetlinkSocket(nl_sock* socket) noexcept : socket_(socket) {}
  std::unique_ptr<nl_sock, Free> socket_;
};

}  // namespace sluice::kernel
