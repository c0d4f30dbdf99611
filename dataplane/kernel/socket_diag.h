// kernel/socket_diag.h - whose a socket of this machine is, asked over sock_diag.
//
//   find(tcp, 192.168.1.1:40000 -> 203.0.113.9:443)  ──>  uid 1000, inode 48213
//
// One question names one socket by its four numbers; the kernel answers within sendmsg(2), some
// microseconds, and never walks its tables. A v4 question also finds dual-stack sockets. What it
// does not find: a socket bound to a device (SO_BINDTODEVICE), and one of another network
// namespace.
//
// Owner: one worker. Thread: its loop's.
#pragma once

#include <cstdint>
#include <memory>

#include "proto/common/address.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/pending_table.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::kernel {

struct SocketQuery {
  Network network = Network::tcp;
  Endpoint local;   ///< the socket's own side
  Endpoint remote;  ///< same family; for UDP, whom it sends to, connected or not
};

struct SocketOwner {
  std::uint32_t uid = 0;
  std::uint32_t inode = 0;  ///< as in /proc/PID/fd: "socket:[48213]"
};

class SocketDiag final : private WatchSink {
 public:
  /// Errors: unsupported (this kernel has no inet_diag or udp_diag), no_descriptors, system.
  [[nodiscard]] static Result<std::unique_ptr<SocketDiag>> open(Loop& loop);

  /// Errors: not_found (no such socket, or its program has closed it), timeout, cancelled, system.
  Task<Result<SocketOwner>> find(SocketQuery query, Until until);

 private:
  struct Asked {
    std::uint16_t port = 0;  ///< of the local side
    Result<SocketOwner> result = fail(Errc::timeout);
  };
  /// By nlmsg_seq.
  using Questions = PendingTable<Asked, std::uint32_t>;

  SocketDiag(Loop& loop, std::unique_ptr<Watch> watch) noexcept
      : questions_(loop), watch_(std::move(watch)) {}
  void on_ready() noexcept override { drain(); }
  void drain() noexcept;

  Questions questions_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace sluice::kernel
