// ruleformats/line_writer.h - entries as lines of a text or YAML list.
//
//   domain      x, +.x, .x          ipcidr      10.0.0.0/8
//   classical   every entry, in the form of classical.h
#pragma once

#include <string>

#include "controlplane/ruleformats/entries.h"

namespace sluice::ruleformats {

enum class LineFormat : std::uint8_t { text, yaml };

/// Appends to `out`, which outlives it, as does `faults`. What the behaviour has no form for, and
/// exceptions, which no list can hold, become faults.
class LineWriter final : public Entries {
 public:
  LineWriter(LineFormat format, Behavior behavior, std::string& out, Faults& faults);

  void name(const NameEntry& entry) override;
  void prefix(const Prefix& prefix, const Place& place) override;
  void line(std::string_view rule, const Place& place) override;
  void fault(const Fault& fault) override { faults_.fault(fault); }

 private:
  void put(std::string_view head, std::string_view text, const Place& place);

  LineFormat format_;
  Behavior behavior_;
  std::string& out_;
  Faults& faults_;
};

}  // namespace sluice::ruleformats
