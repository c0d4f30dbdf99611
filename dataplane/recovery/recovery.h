// recovery/recovery.h - everything a restarted data plane finds, in the order it is replayed.
//
// Bindings first, then the snapshot (which opens listeners and capture): no port opens before its
// first decision would be right. Damaged files are moved aside with a message; start goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/recovery/binding_log.h"
#include "dataplane/recovery/choices_file.h"
#include "dataplane/recovery/snapshot_file.h"
#include "proto/contract/names.h"

namespace sluice::recovery {

struct Recovery {
  contract::BindingBatch bindings;             ///< all, as one batch that replaces
  std::optional<Snapshot> snapshot;            ///< nothing applied yet, or not readable: none
  std::vector<contract::GroupChoice> choices;  ///< of this snapshot, already in its groups
  std::optional<BindingLog> log;               ///< none: the folder cannot be written
  std::vector<std::string> messages;           ///< one sentence each, for the log
};

/// `run_dir` exists and is ours (`dp/` of the run directory). Never fails: what is missing is
/// empty.
[[nodiscard]] Recovery load(const std::string& run_dir);

/// Removes what load() would find: for a clean stop.
void forget(const std::string& run_dir) noexcept;

}  // namespace sluice::recovery
