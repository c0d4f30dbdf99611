// zoneinfo/table.h - writes a zone's table in its one canonical form.
//
//   changes, ascending     ... x ... x . | . x ... x ...... | x ...
//   span                                 from              to
//   table                    first offset^   ^     ^ transitions: only where the offset differs
//
// Two descriptions of the same local time (a file with every change spelled out, one with a rule at
// its end, a bare rule) give equal tables.
#pragma once

#include <string>

#include "controlplane/zoneinfo/span.h"
#include "proto/common/result.h"
#include "proto/ruleset/zone.h"

namespace sluice::zoneinfo {

class TableWriter {
 public:
  /// `offset_s` counts until the first change.
  TableWriter(Span span, std::int32_t offset_s) noexcept : span_(span), last_s_(offset_s) {
    zone_.first_offset_s = offset_s;
  }

  [[nodiscard]] Span span() const noexcept { return span_; }
  /// From `at` on the offset is `offset_s` (is_offset). Each later than the one before.
  void change(std::int64_t at, std::int32_t offset_s);
  /// The table; once. Errors: too_large (kMaxTransitions).
  [[nodiscard]] Result<ruleset::Zone> finish();

 private:
  Span span_;
  std::int32_t last_s_;
  ruleset::Zone zone_;
  bool overflow_ = false;
};

/// Appends the content of a table as bytes for a digest. Equal tables have equal bytes; different
/// ones never, also when several are appended in a row.
void append_bytes(const ruleset::Zone& zone, std::string& to);

}  // namespace sluice::zoneinfo
