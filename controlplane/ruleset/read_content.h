// ruleset/read_content.h - the bytes of a source, read to the last entry.
//
// Bad entries are left out and told; content that is broken as a whole is refused. Pure.
#pragma once

#include <string>
#include <vector>

#include "controlplane/compile/set_input.h"
#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleset/entry_fault.h"
#include "controlplane/ruleset/source.h"
#include "proto/common/cursor.h"

namespace sluice::sets {

struct Findings {
  /// Entries handed on and left out; of an mmdb file the codes or prefixes that it has.
  ruleformats::Tally tally;
  std::vector<EntryFault> faults;  ///< the first few of those left out
  /// Why nothing of it is used, after the name of the file: "has no list under `payload:`". Empty:
  /// it is usable.
  std::string refusal;
};

/// Hands over the entries of a list. What is refused may have handed over some of them: judge()
/// first.
[[nodiscard]] Findings read_list(const Source& source, ByteView bytes, compile::SetEntries& to);

/// Reads everything and hands over nothing. Also refused: content with faults and not one usable
/// entry (a list of nothing but comments is an empty set), a web page, and a geo file without
/// entries.
[[nodiscard]] Findings judge(const Source& source, ByteView bytes);

/// The bounds of a source's decoder.
[[nodiscard]] ruleformats::Bounds bounds_of(const Source& source) noexcept;
/// "has no such category", "ends within its compressed data (at byte 812)".
[[nodiscard]] std::string to_sentence(const ruleformats::Refusal& refusal);

}  // namespace sluice::sets
