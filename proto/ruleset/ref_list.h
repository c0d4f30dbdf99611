// ruleset/ref_list.h - one ascending list of refs as a section of its own.
//
// Thread: immutable view; the block must outlive it.
#pragma once

#include <expected>

#include "proto/ruleset/format.h"

namespace sluice::ruleset {

class RefList {
 public:
  RefList() noexcept = default;
  /// u32[n], n > 0, ascending, below `bound`.
  static std::expected<RefList, Invalid> open(ByteView section, std::size_t offset,
                                              std::uint32_t bound) {
    RefList out;
    out.refs_ = Words(section);
    if (section.empty() || section.size() % 4 != 0)
      return std::unexpected(Invalid{"a list of refs is cut off", offset});
    if (!is_ascending(out.refs_, 0, out.refs_.size(), bound))
      return std::unexpected(Invalid{"a list of refs is out of order", offset});
    return out;
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t from) const noexcept {
    return first_at_least(refs_, 0, refs_.size(), from);
  }
  [[nodiscard]] std::uint32_t first_ref() const noexcept {
    return refs_.size() == 0 ? kNone : refs_[0];
  }

 private:
  Words refs_;
};

}  // namespace sluice::ruleset
