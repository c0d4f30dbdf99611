// kernel/helper_client.h - one running sluice-nft, asked synchronously.
//
// A call blocks its thread until the verdict or the deadline (kCommandTimeout). That is meant:
// calls are rare, take about a millisecond, come from the control thread alone, and what follows
// them (opening listeners, answering Apply) must wait for the verdict anyway. Never call from a
// worker.
//
// After a timeout or end of file the client is lost: its state is unknown, so the caller ends it,
// and its table goes with it, and starts another.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "dataplane/helper/commands.h"
#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice::kernel {

/// What a refused command says: `error` is errno, `text` a sentence for the log and the user.
struct Refusal {
  int error = 0;
  std::string text;
};

/// A fresh sluice-nft as the spawner gave it.
struct NftHelper {
  UniqueFd socket;  ///< SOCK_SEQPACKET
  pid_t pid = -1;   ///< -1: not a process of its own
};

class HelperClient {
 public:
  explicit HelperClient(NftHelper helper) noexcept
      : socket_(std::move(helper.socket)), pid_(helper.pid) {}

  // Each: Errors: closed, timeout, malformed (the client is lost); denied when the kernel refused,
  // with `why` filled.
  [[nodiscard]] Status probe(Refusal& why);
  [[nodiscard]] Status apply(const nft::CaptureTable& table, Refusal& why);
  [[nodiscard]] Status set_dns_redirect(bool on, Refusal& why);
  [[nodiscard]] Status remove_guard(Refusal& why);
  [[nodiscard]] Status cleanup(Refusal& why);
  [[nodiscard]] Status tear_down(Refusal& why);
  /// Any number of prefixes, sent in chunks: each chunk is a transaction of its own.
  [[nodiscard]] Status add(nft::SetId set, std::span<const Prefix> prefixes, Refusal& why);
  [[nodiscard]] Status remove(nft::SetId set, std::span<const Prefix> prefixes, Refusal& why);

  /// For one that is lost (kill_helper.h).
  void kill() noexcept;

  /// For the loop: readable outside a call means end of file.
  [[nodiscard]] int fd() const noexcept { return socket_.get(); }
  /// True once a call failed in a way that leaves the helper's state unknown.
  [[nodiscard]] bool lost() const noexcept { return lost_; }

 private:
  Status ask(nft::Request request, Refusal& why);
  Status ask(nft::Command command, Refusal& why);
  Status change(nft::Command command, nft::SetId set, std::span<const Prefix> prefixes,
                Refusal& why);
  Result<nft::Verdict> await_verdict(std::uint32_t id, Moment deadline);

  UniqueFd socket_;
  pid_t pid_;
  std::uint32_t next_id_ = 1;
  bool lost_ = false;
};

}  // namespace sluice::kernel
