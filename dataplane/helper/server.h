// helper/server.h - the helper's life: a command, a transaction, a verdict, until end of file.
//
// Thread: one. Memory: two fixed buffers; a command allocates what its rules need and frees it.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "dataplane/helper/commands.h"
#include "dataplane/helper/nft_socket.h"
#include "dataplane/helper/transaction.h"

namespace sluice::nft {

/// Serves `peer` where this kernel has no nf_tables: that is the verdict on every command.
/// Errors: as Server::serve.
[[nodiscard]] Status serve_without_netfilter(int peer);

class Server {
 public:
  explicit Server(NftSocket socket) : socket_(std::move(socket)) {}

  /// Runs one command. Never fails: what went wrong is in the verdict.
  [[nodiscard]] Verdict run(const Request& request);

  /// Serves `peer` (SOCK_SEQPACKET) until end of file or a frame that is not a request.
  /// Errors: malformed, unsupported, truncated (the peer is broken), system.
  [[nodiscard]] Status serve(int peer);

 private:
  Outcome apply(const CaptureTable& table);
  Outcome redirect_dns(bool on);
  Outcome change_elements(const SetElements& elements, bool remove);
  /// Absence is success.
  Outcome remove_table(const char* name);

  NftSocket socket_;
  std::optional<CaptureTable> applied_;  // what the owned table holds
  alignas(8) std::array<std::byte, kBatchBytes> batch_;
  std::array<std::byte, kMaxFrameBytes> frame_;
};

}  // namespace sluice::nft
