// ruleformats/srs_items.h - the items of an srs rule: stepped over first, read when they are used.
#pragma once

#include "controlplane/ruleformats/headless_rule.h"
#include "controlplane/ruleformats/refusal.h"

namespace sluice::ruleformats {

/// Steps over the item whose type byte was read. Past the end `in` is short. False for a type that
/// no version has, or a length that no file can have.
[[nodiscard]] bool skip_srs_item(std::uint8_t type, Reader& in, HeadlessItem& out) noexcept;

/// Reads what skip_srs_item stepped over.
class SrsItems final : public HeadlessSource {
 public:
  void read(const HeadlessItem& item, HeadlessTerms& to) const override;
};

}  // namespace sluice::ruleformats
