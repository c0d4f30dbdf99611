// route/snapshot.h - one applied manifest, immutable, and the few counters that live beside it.
//
//   build_snapshot(manifest, blobs) --validates everything--> Snapshot
//     manifest   as received, never changed
//     block      the compiled rules, used in place
//     patterns   its regular expressions, compiled here
//     choices    one relaxed atomic per group   <- select()
//     disabled   one relaxed bit per rule       <- set_disabled()
//     targets    of the lines, close together
//     counts     hits by worker, line and list  <- Matcher
//
// The decision itself is in matcher.h: Matcher(snapshot, facts).run() ... route().
//
// Thread: built on the control thread, read by all workers without locks. select() may be called
// from any thread at any time; a flow that is being decided sees the old or the new choice. The
// owner frees it when the last worker released it. Exceptions: none are thrown by this room.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dataplane/route/hit_counts.h"
#include "dataplane/route/needs.h"
#include "dataplane/route/route.h"
#include "proto/contract/blob.h"
#include "proto/contract/manifest.h"
#include "proto/ruleset/line_bits.h"
#include "proto/ruleset/match.h"
#include "proto/ruleset/view.h"

namespace sluice::route {

/// Why a manifest was not taken. `place` as in contract::Verdict: "outbounds[3].members[1]".
struct Refusal {
  std::string place;
  std::string reason;  ///< one sentence
};

/// The blobs at hand, by digest. Shared with the store of received blobs and with other snapshots.
using BlobMap = std::map<contract::Digest, contract::BlobPtr>;

class Snapshot {
 public:
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  [[nodiscard]] const contract::Manifest& manifest() const noexcept { return manifest_; }
  [[nodiscard]] const ruleset::View& rules() const noexcept { return rules_; }
  /// Facts that must be kept current while this snapshot decides.
  [[nodiscard]] const FactNeeds& needs() const noexcept { return needs_; }
  /// Needs index < manifest().outbounds.size(), which holds for every index of this snapshot.
  [[nodiscard]] const contract::Outbound& outbound(std::uint32_t index) const noexcept {
    return manifest_.outbounds[index];
  }
  /// Index of the outbound or group with exactly this name.
  [[nodiscard]] std::optional<std::uint32_t> find_outbound(std::string_view name) const noexcept;
  /// The listener of this name; one that the snapshot before had and this one lacks is found, too:
  /// clients that its sockets have met are served by what held for them. nullptr: neither has it.
  /// Its `outbound` and `rule_entry` are indices of this snapshot.
  [[nodiscard]] const contract::Listener* find_listener(std::string_view name) const noexcept;

  /// Position in `members` that the group now uses; 0 for anything but a group.
  [[nodiscard]] std::uint32_t choice(std::uint32_t group) const noexcept;
  /// Makes the group use the member at `position`. Errors: invalid (not a group, or no such
  /// position). Takes effect for the next decision; running flows stay. `const`: the choice is
  /// beside the snapshot, not part of what was applied.
  Status select(std::uint32_t group, std::uint32_t position) const noexcept;
  /// The same by names. Errors: not_found (no such group, or no such member of it).
  Status select(std::string_view group, std::string_view member) const noexcept;

  /// Follows the choices from `target` to its leaf. Fills leaf, chain and `refused` (not_built,
  /// no_udp, pass, pass_rule, rematch) for a flow of this network; rule_index is left at -1.
  [[nodiscard]] Route resolve(std::uint32_t target, Network network) const noexcept;

  /// What a Match over rules() needs besides the flow.
  [[nodiscard]] ruleset::Match::Tools match_tools(ruleset::Observer* observer) const noexcept;

  /// A rule that is disabled counts as not matched, and asks for nothing. One of a SUB-RULE's own
  /// lines is passed over where it stands; the SUB-RULE itself with all of its lines. `const`:
  /// beside the snapshot, as select(). Errors: invalid (no such rule).
  Status set_disabled(std::uint32_t index, bool disabled) const noexcept;
  /// Needs index < manifest().rules.size().
  [[nodiscard]] bool disabled(std::uint32_t index) const noexcept { return disabled_->test(index); }

  /// Target of the rule at `index`, which is < manifest().rules.size(): as in the manifest, but
  /// without the texts around it.
  [[nodiscard]] std::uint32_t target(std::uint32_t index) const noexcept { return targets_[index]; }
  /// Flows that the rule at `index` decided; wraps at 2^32. A flow that a SUB-RULE's own line
  /// decides counts for both; one that goes to a REMATCH counts there, and again where it ends.
  [[nodiscard]] std::uint32_t hits(std::uint32_t index) const noexcept {
    return counts_->hits(index);
  }
  /// Wall clock of the last one, seconds since 1970; 0 = never.
  [[nodiscard]] std::uint32_t last_hit(std::uint32_t index) const noexcept {
    return counts_->last_hit(index);
  }
  /// Decisions that came to the end of this list (below rules().entry_count()).
  [[nodiscard]] std::uint64_t unmatched(std::uint32_t entry) const noexcept {
    return counts_->ends(entry);
  }
  /// Name of the list that an entry walks (below rules().entry_count()); nothing when the list has
  /// no lines, and for the lists of the sniffer.
  [[nodiscard]] std::optional<std::string_view> list_of(std::uint32_t entry) const noexcept;
  /// First line of the list that an entry walks (below rules().entry_count()); nothing when the
  /// list has no lines, and for the lists of the sniffer.
  [[nodiscard]] std::optional<std::uint32_t> first_line(std::uint32_t entry) const noexcept;
  /// For the Matcher on this worker: the line at the position, and the SUB-RULEs around it, have a
  /// flow more.
  void count_hit(unsigned worker, const ruleset::Slot& slot) const noexcept;
  void count_unmatched(unsigned worker, std::uint32_t entry) const noexcept {
    counts_->count_end(worker, entry);
  }

 private:
  friend class SnapshotBuilder;
  Snapshot() = default;

  using NameIndex = std::unordered_map<std::string_view, std::uint32_t>;

  std::uint64_t generation_ = 0;
  contract::Manifest manifest_;
  contract::BlobPtr block_;
  ruleset::View rules_;  // views block_->bytes
  FactNeeds needs_;      // of rules_
  ruleset::Patterns patterns_;
  std::unique_ptr<ruleset::LineBits> disabled_;
  NameIndex outbound_by_name_;                             // keys view manifest_
  std::vector<contract::Listener> leaving_;                // of the snapshot before
  std::unique_ptr<std::atomic<std::uint32_t>[]> choices_;  // one per outbound
  std::vector<std::uint32_t> targets_;                     // one per rule
  std::unique_ptr<HitCounts> counts_;
};

/// Checks the whole manifest as hostile input and builds a snapshot, or says what is wrong and
/// where; nothing is half-applied. Checked: every index, count, size and text; groups not empty and
/// without cycles; names unique; ports, users, ciphers, marks and tables; listeners that collide;
/// the block of the rules in full, that its patterns compile, and that it has as many lines as
/// `rules` and every list that a REMATCH or a listener names.
///
/// `previous`: its group choices are carried over by the names of group and member, hits and
/// disabled lines by list, type, payload and name of the target (of equal lines the n-th stays the
/// n-th); nullptr at first. A select() or set_disabled() on `previous` after this call is not seen:
/// call all from one thread. Hits that workers count there until they adopt the new one are lost.
/// Workers 0 .. `workers` - 1 decide by it, see FlowFacts::worker.
[[nodiscard]] std::expected<std::unique_ptr<const Snapshot>, Refusal> build_snapshot(
    contract::Manifest manifest, const BlobMap& blobs, std::uint64_t generation,
    const Snapshot* previous, unsigned workers = 1);

}  // namespace sluice::route
