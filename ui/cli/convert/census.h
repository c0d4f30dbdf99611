// convert/census.h - what kinds of entries a file holds: read first, so that the second reading
// goes to a writer that has a form for them.
#pragma once

#include <cstdint>

#include "controlplane/ruleformats/entries.h"

namespace sluice::cli {

class Census final : public ruleformats::Entries {
 public:
  void name(const ruleformats::NameEntry& entry) override {
    const bool in_lists = entry.kind <= ruleformats::NameKind::below;
    ++(in_lists && !is_exception(entry.weight) ? names : others);
  }
  void prefix(const Prefix&, const ruleformats::Place&) override { ++prefixes; }
  void line(std::string_view, const ruleformats::Place&) override { ++others; }
  void fault(const ruleformats::Fault&) override { ++faults; }

  [[nodiscard]] std::uint64_t entries() const noexcept { return names + prefixes + others; }

  std::uint64_t names = 0;     ///< have a form in domain lists
  std::uint64_t prefixes = 0;  ///< have one in ipcidr lists
  std::uint64_t others = 0;    ///< patterns, exceptions, rules
  std::uint64_t faults = 0;
};

}  // namespace sluice::cli
