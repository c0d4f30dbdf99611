// helper/nft_socket.h - the one netlink socket that owns the table.
//
// The kernel ties an owned table to this socket's port and removes the table when the socket
// closes, so it is opened once, before the system-call filter, and lives as long as the helper.
// Thread: one.
#pragma once

#include <libmnl/libmnl.h>

#include <cstdint>
#include <memory>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::nft {

/// What the kernel said about one batch.
struct Answer {
  int error = 0;               ///< errno of the first message that failed; 0 = committed
  std::uint32_t sequence = 0;  ///< of that message
};

class NftSocket {
 public:
  /// Errors: system (EPROTONOSUPPORT: this kernel has no netfilter netlink).
  [[nodiscard]] static Result<NftSocket> open();

  /// Sends one batch and collects every answer: netlink handles a batch before send returns.
  [[nodiscard]] Answer exchange(ByteView batch);

  [[nodiscard]] int fd() const noexcept { return mnl_socket_get_fd(socket_.get()); }

 private:
  struct Close {
    void operator()(mnl_socket* socket) const noexcept { mnl_socket_close(socket); }
  };
  explicit NftSocket(mnl_socket* socket) noexcept : socket_(socket) {}

  std::unique_ptr<mnl_socket, Close> socket_;
};

}  // namespace sluice::nft
