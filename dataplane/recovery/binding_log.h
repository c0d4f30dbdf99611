// recovery/binding_log.h - every acknowledged binding batch, in an append-only file.
//
//   "SLBIND01" | record | record | ...            (binding_record.h)
//
// A batch is acknowledged only after append(): a data plane that was killed knows every name that a
// client may still hold a fake address of. Written with write(2), so it survives the process, which
// is all that is asked: the run directory is memory.
//
// Owner: the control server. Thread: the control thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/recovery/binding_record.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/contract/names.h"

namespace sluice::recovery {

/// Replays a file's bytes into `table` up to the first record that is cut short or damaged.
/// Returns how many bytes were good (0: not such a file).
[[nodiscard]] std::size_t replay_bindings(ByteView file, BindingTable& table);

class BindingLog {
 public:
  /// Opens or starts `dir`/bindings.log and replays it into `table`. A damaged tail is cut off and
  /// kept as bindings.log.damaged; `messages` then says so. Errors: system, denied.
  static Result<BindingLog> open(const std::string& dir, BindingTable& table,
                                 std::vector<std::string>& messages);

  /// Appends; a batch that replaces everything starts a new file instead. On failure the file is
  /// what it was. Errors: no_room, system.
  [[nodiscard]] Status append(const contract::BindingBatch& batch);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  BindingLog() = default;
  [[nodiscard]] Status start_anew(const contract::BindingBatch& everything);
  [[nodiscard]] Status reopen();
  [[nodiscard]] Status compact();

  std::string path_;
  UniqueFd file_;
  std::uint64_t size_ = 0;       ///< bytes
  std::uint64_t compacted_ = 0;  ///< size right after the last rewrite
};

}  // namespace sluice::recovery
