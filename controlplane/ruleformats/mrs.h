// ruleformats/mrs.h - Mihomo's binary rule sets: one zstd stream, numbers big-endian.
//
//   "MRS" 1 | behaviour(1) | rules(8) | extra size(8) extra | body
//   body, domain   1 | words(8) leaves | words(8) bitmap | size(8) labels     (name_trie.h)
//   body, ipcidr   1 | ranges(8) | ranges * (first(16) last(16))              IPv4 as ::ffff:0:0/96
//
// A name `.x` (all below) stands as `+.x`, and `+.x` (with x itself) as the two keys x and `+.x`.
// Reading puts the two together again, so that what was written is what is read.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleformats/name_trie.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// `expected` is what the provider says; a file of another behaviour is refused.
/// Errors: as unpack_zstd, truncated, malformed, unsupported (version, behaviour), too_large.
[[nodiscard]] Outcome<Tally> read_mrs(ByteView file, Behavior expected, const Bounds& bounds,
                                      Entries& to);

/// Collects entries and writes them. What the behaviour cannot hold becomes a fault. Memory: the
/// names and 8 bytes each, or 34 bytes a prefix; while finishing about three times that.
class MrsWriter final : public Entries {
 public:
  /// `behavior` domain or ipcidr. `faults` outlives the writer.
  MrsWriter(Behavior behavior, Faults& faults) : behavior_(behavior), faults_(faults) {}

  void name(const NameEntry& entry) override;
  void prefix(const Prefix& prefix, const Place& place) override;
  void line(std::string_view rule, const Place& place) override;
  void fault(const Fault& fault) override { faults_.fault(fault); }

  /// The file; once. Errors: invalid (no entries: Mihomo refuses such a file), no_room.
  [[nodiscard]] Result<std::vector<std::byte>> finish();

 private:
  Behavior behavior_;
  Faults& faults_;
  std::uint64_t count_ = 0;
  NameTrieBuilder names_;
  std::vector<Prefix> prefixes_;
};

}  // namespace sluice::ruleformats
