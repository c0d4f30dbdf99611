// ruleset/index_writers.h - the sections of the indexes, from keys and the sources of their refs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/common/result.h"
#include "proto/ruleset/format.h"
#include "proto/ruleset/left_out.h"
#include "proto/ruleset/prefix_index.h"
#include "proto/ruleset/ref_table.h"

namespace sluice::ruleset {

/// One section's bytes and its smallest ref. No bytes: the section is left out.
struct SectionBytes {
  std::vector<std::byte> bytes;
  std::uint32_t first_ref = kNone;
};

struct TextRecord {
  std::string_view text;
  std::uint32_t source;        ///< of a RefTable
  std::uint8_t relations = 0;  ///< names
};
template <class Key>
struct PrefixRecord {
  Key key;  ///< host bits are zero
  std::uint32_t source;
  std::uint8_t length;
};

/// Names that find no slot are left out. Errors: too_large (kMaxBlock_bytes).
[[nodiscard]] Result<SectionBytes> write_names(const std::vector<TextRecord>& records,
                                               const RefTable& refs, LeftOut& left_out);
/// Keywords that would pass kMaxKeyword_states are left out.
[[nodiscard]] SectionBytes write_keywords(std::vector<TextRecord> records, const RefTable& refs,
                                          LeftOut& left_out);
[[nodiscard]] SectionBytes write_words(std::vector<TextRecord> records, const RefTable& refs);
template <class Key>
[[nodiscard]] SectionBytes write_prefixes(std::vector<PrefixRecord<Key>> records,
                                          const RefTable& refs);
extern template SectionBytes write_prefixes(std::vector<PrefixRecord<std::uint32_t>>,
                                            const RefTable&);
extern template SectionBytes write_prefixes(std::vector<PrefixRecord<Key128>>, const RefTable&);
/// Sorts, and drops what stands twice.
[[nodiscard]] SectionBytes write_list(std::vector<std::uint32_t> refs);

/// All refs of the records [first, last), ascending, each once.
template <class Record>
[[nodiscard]] std::vector<std::uint32_t> merged_refs(const Record* first, const Record* last,
                                                     const RefTable& table) {
  std::vector<std::uint32_t> out;
  for (; first != last; ++first) {
    const auto refs = table.refs(first->source);
    out.insert(out.end(), refs.begin(), refs.end());
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

}  // namespace sluice::ruleset
