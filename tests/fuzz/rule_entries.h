// What every decoder of rule files promises of the entries it hands on (ruleformats/entries.h).
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "controlplane/ruleformats/entries.h"
#include "controlplane/ruleformats/feed.h"
#include "proto/common/name.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Limits that let a fuzzer reach them.
inline constexpr Bounds kFuzzBounds{
    .input_bytes = 1U << 20U, .plain_bytes = 1U << 18U, .entries = 20'000, .line_bytes = 4096};

class CheckedEntries final : public Entries {
 public:
  void name(const NameEntry& entry) override {
    require(!entry.text.empty());
    if (entry.kind <= NameKind::below) {
      require(entry.text.size() <= kMaxName && is_utf8(entry.text));
      require(entry.wild == (entry.text.find('*') != std::string_view::npos));
      for (const char c : entry.text) require(to_lower(c) == c && c != '/' && c != ' ');
    } else {
      require(!entry.wild);
    }
    ++count;
  }
  void prefix(const Prefix& prefix, const Place&) override {
    require(prefix.base.valid() && prefix.length <= prefix.base.bytes().size() * 8);
    require(Prefix::of(prefix.base, prefix.length) == prefix);
    ++count;
  }
  void line(std::string_view rule, const Place&) override {
    require(rule.find(',') != std::string_view::npos && rule.find('\n') == std::string_view::npos);
    ++count;
  }
  void fault(const Fault& fault) override {
    require(!fault.reason.empty());
    ++faults;
  }
  /// The tally says what was handed on.
  void check(const Outcome<Tally>& tally) const {
    if (!tally) {
      require(tally.error().code != Errc::none && !tally.error().reason.empty());
    } else {
      require(tally->entries == count && tally->faults == faults);
    }
  }

  std::uint32_t count = 0;
  std::uint32_t faults = 0;
};

}  // namespace sluice::ruleformats
