// ruleformats/feed.h - the decoders' side of a sink: counts entries, keeps their limit, checks
// names.
#pragma once

#include <cstdint>
#include <string_view>

#include "controlplane/ruleformats/bounds.h"
#include "controlplane/ruleformats/entries.h"
#include "controlplane/ruleformats/name_text.h"
#include "controlplane/ruleformats/refusal.h"

namespace sluice::ruleformats {

/// What a file held.
struct Tally {
  std::uint32_t entries = 0;  ///< handed on
  std::uint32_t faults = 0;   ///< left out, each with a fault
  friend bool operator==(const Tally&, const Tally&) = default;
};

class Feed {
 public:
  Feed(Entries& to, const Bounds& bounds) noexcept : to_(to), limit_(bounds.entries) {}
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// exact, suffix, below: checks `text` first; a text that is no name becomes a fault.
  void name(NameKind kind, std::string_view text, const Place& place,
            NameText::Wildcards wildcards = NameText::Wildcards::refused,
            Weight weight = Weight::listed);
  /// glob, keyword: in lower case. regex: as it is. An empty one becomes a fault.
  void pattern(NameKind kind, std::string_view text, const Place& place,
               Weight weight = Weight::listed);
  void prefix(const Prefix& prefix, const Place& place);
  void line(std::string_view rule, const Place& place);
  void fault(const Place& place, std::string_view text, std::string_view reason);

  /// The number of the entry that comes next.
  [[nodiscard]] std::uint32_t next_entry() const noexcept { return tally_.entries + tally_.faults; }
  /// True once the limit of entries is passed. Nothing more is handed on; the decoder ends.
  [[nodiscard]] bool full() const noexcept { return full_; }
  /// The tally, or too_large when the limit was passed.
  [[nodiscard]] Outcome<Tally> finish() const noexcept;

 private:
  bool take() noexcept;

  Entries& to_;
  std::uint32_t limit_;
  Tally tally_;
  bool full_ = false;
};

}  // namespace sluice::ruleformats
