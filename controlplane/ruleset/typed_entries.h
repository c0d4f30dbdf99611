// ruleset/typed_entries.h - what a decoder hands on becomes what compile takes.
//
//   decoder ── name ──────── a regex that is one ──> name        ──┐
//           ── prefix ─────────────────────────────> prefix        ├─> SetEntries
//           ── line ──────── parse_rule ───────────> condition   ──┘
//           ── fault ─┐              │ no rule
//                     └──────────────┴──> counted, the first few kept
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controlplane/compile/set_input.h"
#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleset/entry_fault.h"

namespace sluice::sets {

/// Takes the entries of one set, or of several, one after the other. `to` outlives it.
class TypedEntries final : public ruleformats::Entries {
 public:
  explicit TypedEntries(compile::SetEntries& to) noexcept : to_(to) {}

  void name(const ruleformats::NameEntry& entry) override;
  void prefix(const Prefix& prefix, const ruleformats::Place& place) override;
  void line(std::string_view rule, const ruleformats::Place& place) override;
  void fault(const ruleformats::Fault& fault) override;

  /// Names the category of what comes from here on, for messages.
  void begin_list(std::string list) { list_ = std::move(list); }

  /// What was handed on and what was left out so far.
  [[nodiscard]] const ruleformats::Tally& tally() const noexcept { return tally_; }
  /// The first kToldFaults.
  [[nodiscard]] std::vector<EntryFault> take_faults() { return std::move(faults_); }

 private:
  void leave_out(const ruleformats::Place& place, std::string_view text, std::string reason);

  compile::SetEntries& to_;
  ruleformats::Tally tally_;
  std::vector<EntryFault> faults_;
  std::string list_;
};

}  // namespace sluice::sets
