// flow/owners.h - a worker's way to ask whose a local socket is: its user, and its program.
//
//   find() ── sock_diag (this worker's socket) ──> uid, inode
//          └─ ask(inode) ── home ── sluice-proc ──> path          only when a rule compares
//          programs
//                answer() <────────────┘
//
// One deadline for both (kOwnerTimeout). What cannot be told in time is absent: rules that need it
// do not match. Nothing is kept: a socket changes hands when its program ends.
//
// Owner: the engine. Thread: its worker; ProcessSource::ask is called there too and must post.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dataplane/kernel/socket_diag.h"
#include "dataplane/route/route.h"
#include "proto/runtime/loop/pending_table.h"

namespace sluice::flow {

struct ProcessQuery {
  std::uint64_t id = 0;  ///< of the asking worker
  std::uint32_t inode = 0;
};

struct ProcessAnswer {
  std::uint64_t id = 0;
  std::string path;  ///< empty: nobody could tell
};

/// Carries questions to sluice-proc. `worker` tells where the answer goes.
class ProcessSource {
 public:
  virtual void ask(ProcessQuery query, unsigned worker) noexcept = 0;

 protected:
  ~ProcessSource() = default;
};

/// A route::Owner that owns its text.
struct FoundOwner {
  std::optional<std::uint32_t> uid;
  std::string process_path;
  [[nodiscard]] route::Owner view() const noexcept { return {uid, process_path}; }
};

class OwnerService {
 public:
  OwnerService(Loop& loop, unsigned worker) noexcept
      : loop_(loop), worker_(worker), questions_(loop) {}
  OwnerService(const OwnerService&) = delete;
  OwnerService& operator=(const OwnerService&) = delete;

  /// Who answers for programs; without one they are not known. Set once, before start.
  void set_process_source(ProcessSource* source) noexcept { source_ = source; }

  /// `process`: ask for the program too. Ends by `until`, with what is known by then. Errors:
  /// cancelled.
  Task<Result<FoundOwner>> find(kernel::SocketQuery query, bool process, Until until);
  void answer(ProcessAnswer answer);

 private:
  using Paths = PendingTable<std::string>;

  /// nullptr when this kernel cannot tell, or not now.
  kernel::SocketDiag* sockets();
  void warn(const Error& error);

  Loop& loop_;
  unsigned worker_;
  ProcessSource* source_ = nullptr;
  std::unique_ptr<kernel::SocketDiag> diag_;
  bool unable_ = false;
  Moment quiet_until_{};
  Paths questions_;  ///< to programs
};

}  // namespace sluice::flow
