// app/preparer.h - a configuration text, read, checked and compiled: ready to come into force.
//
//   text ─ model ─> Config ─┬─ set_sources ─> files of its sets
//                           └─ key of the rules, sets and zones ─┬─ in the cache ─> block
//                                                                └─ compile ──────> block, kept
//
// Blocks on the disk, never on the network: a set whose file has not come yet matches nothing.
// Owner: main(). Thread: one at a time (main at start, then the work thread).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controlplane/app/prepare.h"
#include "controlplane/app/rule_zones.h"
#include "controlplane/app/set_sources.h"
#include "controlplane/compile/compile.h"
#include "controlplane/ruleset/block_cache.h"
#include "controlplane/ruleset/cache_use.h"
#include "controlplane/ruleset/set_reader.h"
#include "controlplane/ruleset/shelf.h"

namespace sluice::control_plane {

class Preparer {
 public:
  /// `use` read_only: nothing below the home directory is touched.
  explicit Preparer(FilePlaces places, sets::CacheUse use = sets::CacheUse::read_write);
  Preparer(const Preparer&) = delete;
  Preparer& operator=(const Preparer&) = delete;

  /// `file` is the name in diagnostics.
  [[nodiscard]] Prepared prepare(std::string text, const std::string& file);

  /// What consumers of providers judge new bytes with.
  [[nodiscard]] sets::Shelf& shelf() noexcept { return shelf_; }
  /// These are in force: what is kept of others on disk is dropped.
  void keep_only(const std::vector<RunningSet>& running);

 private:
  struct Compiled {
    compile::CompileResult result;
    std::vector<sets::SetProblem> problems;
  };
  [[nodiscard]] Result<Compiled> compile_or_find(const model::Config& config,
                                                 sets::SetReader& reader, RuleZones& zones);
  void complain();

  FilePlaces places_;
  sets::CacheUse use_;
  sets::Shelf shelf_;
  sets::BlockCache blocks_;
};

}  // namespace sluice::control_plane
