// ruleset/shelf.h - what content each source has now: the one that was accepted last.
//
//   new bytes ── accept() ── judged ── good ─> remembered by digest; a user's file: a copy kept
//                                  └─ bad ──> refused, nothing changes
//
//   hold()  bytes that were accepted and cannot be stored: they are the content, file or no file
//
//   load()  the file ── stamp known, or its digest accepted, or judged good ─> its bytes
//              └─ missing or broken ── a copy is kept ─> the former content, and a sentence
//                                   └─ none ──────────> nothing, and a sentence
//
// Blocks on the disk. Owner: whoever compiles. Thread: the work thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleset/cache_use.h"
#include "controlplane/ruleset/entry_fault.h"
#include "controlplane/ruleset/file_records.h"
#include "controlplane/ruleset/kept_copies.h"
#include "controlplane/ruleset/source.h"
#include "proto/common/clock.h"
#include "proto/contract/digest.h"

namespace sluice::sets {

/// What became of bytes that came for a source.
struct Acceptance {
  contract::Digest digest{};
  ruleformats::Tally tally;
  std::vector<EntryFault> faults;  ///< the first few entries that are left out
  /// Why the former content stays, after the name of the file: "has no list under `payload:`".
  /// Empty: accepted.
  std::string error;
};

/// The content of a source at one moment.
struct Content {
  contract::Digest digest{};  ///< zero: there is none
  std::string bytes;          ///< load() only
  std::string problem;        ///< one sentence when the file as it is cannot be used; else empty
  [[nodiscard]] bool there() const noexcept { return digest != contract::Digest{}; }
};

class Shelf {
 public:
  /// `cache`: a directory of ours, made when something is written; HOME/cache.
  explicit Shelf(const std::string& cache, std::function<std::int64_t()> wall_clock_ms = wall_ms,
                 CacheUse use = CacheUse::read_write);

  /// Reads all of `bytes`. What provider::Consumer::accept() does for a source of sets.
  [[nodiscard]] Acceptance accept(const Source& source, ByteView bytes);

  /// `bytes`, which were accepted, are the content of the source until something else is; in memory
  /// (at most source.most bytes).
  void hold(const Source& source, ByteView bytes);
  /// The file counts again.
  void let_go(const Source& source);

  /// Which content there is; looks into the file only when its stamp is new.
  [[nodiscard]] Content look(const Source& source);
  /// The same with its bytes. Only content of lists and geo files that was accepted.
  [[nodiscard]] Content load(const Source& source);
  /// Entries and faults of an accepted content; nothing when it is not remembered.
  [[nodiscard]] std::optional<ruleformats::Tally> tally_of(const Source& source,
                                                           const contract::Digest& digest) const;

  /// These are the sources in force: what is remembered and kept of others is dropped.
  void keep_only(std::span<const Source> sources);
  /// Writes what was learnt of files, if it may.
  void save();
  /// Once after things began to go wrong: why nothing can be kept below `cache`.
  [[nodiscard]] std::optional<std::string> take_complaint();

 private:
  void keep_copy(const Source& source, const contract::Digest& digest, ByteView bytes);
  /// The file as it is; a sentence when it cannot be used.
  std::expected<Content, std::string> from_file(const Source& source, const FileBytes& file);
  Content former(const Source& source, std::string problem, bool with_bytes);
  [[nodiscard]] const Content* held(const Source& source) const noexcept;
  void note(const Written& written);

  FileRecords records_;
  KeptCopies kept_;
  std::vector<std::pair<Source, Content>> held_;
  std::function<std::int64_t()> wall_ms_;
  CacheUse use_;
  std::string complaint_;
  bool complained_ = false;
};

}  // namespace sluice::sets
