// convert/checked_rules.h - leaves out what a router would leave out of the list: rules that are
// none, patterns that are none.
#pragma once

#include "controlplane/ruleformats/entries.h"

namespace sluice::cli {

class CheckedRules final : public ruleformats::Entries {
 public:
  /// `to` outlives it; it gets the rest, and a fault for each that is left out.
  explicit CheckedRules(ruleformats::Entries& to) noexcept : to_(to) {}

  void name(const ruleformats::NameEntry& entry) override;
  void prefix(const Prefix& prefix, const ruleformats::Place& place) override {
    to_.prefix(prefix, place);
  }
  void line(std::string_view rule, const ruleformats::Place& place) override;
  void fault(const ruleformats::Fault& fault) override { to_.fault(fault); }

 private:
  ruleformats::Entries& to_;
};

}  // namespace sluice::cli
