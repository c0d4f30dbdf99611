// ruleset/keyword_index.h - all keywords, and the literals of wildcards and regular expressions, in
// one Aho-Corasick automaton.
//
// States are numbered breadth first, so the children of a state lie side by side: a 64-bit map of
// byte classes and a population count give the child, and every failure link goes to a lower
// number and a smaller depth. Names use 60 different bytes, so 63 classes hold any keyword that can
// match.
//
// A name of n bytes costs at most 2n steps however many keywords there are, and a list for each
// byte at which some end: keywords that end at the same byte share one. Only where they have more
// than 8 refs do the longer ones keep lists of their own, and such a byte costs one for each.
//
//   state (24): children(8) first_child(4) fail(4) list(4) report(4)
//     list    offset in `lists` of count | refs of keywords that end here; kNone when none does
//     report  state on the failure chain whose list holds further ones; kNone when none does
//
// Thread: immutable view; the block must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string_view>

#include "proto/ruleset/format.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {

class KeywordIndex {
 public:
  inline static constexpr std::uint32_t kClasses = 63;
  inline static constexpr std::uint8_t kNoClass = 63;  ///< a byte that is in no keyword
  inline static constexpr std::size_t kState_bytes = 24;
  inline static constexpr std::size_t kMaxDepth = 253;  ///< a longer keyword fits no name

  /// Keywords that one name holds: their lists, each once.
  struct Found {
    inline static constexpr std::uint32_t kMost = 64;
    std::uint32_t count = 0;
    bool more = false;  ///< more than kMost: look-ups walk the name again
    std::array<std::uint32_t, kMost> lists;
  };

  KeywordIndex() noexcept = default;
  /// Checks the tree, the links (to smaller depths only) and the lists.
  static std::expected<KeywordIndex, Invalid> open(ByteView section, std::size_t offset,
                                                   std::uint32_t bound);

  /// Runs the automaton over `name`, once per flow.
  void find(std::string_view name, Found& out) const noexcept;
  /// First ref >= from among the keywords inside `name`, for which find() filled `found`.
  [[nodiscard]] std::uint32_t next(const Found& found, std::string_view name,
                                   std::uint32_t from) const noexcept;
  [[nodiscard]] std::uint32_t first_ref() const noexcept { return first_ref_; }
  [[nodiscard]] std::uint32_t state_count() const noexcept { return state_count_; }

 private:
  struct State {
    std::uint64_t children;
    std::uint32_t first_child, fail, list, report;
  };
  [[nodiscard]] State state(std::uint32_t index) const noexcept;
  [[nodiscard]] std::uint32_t step(std::uint32_t from, std::uint8_t byte_class) const noexcept;
  template <class Report>
  void walk(std::string_view name, Report report) const noexcept;
  const char* check_states(const ListStarts& lists);

  std::uint32_t state_count_ = 0;
  std::uint32_t first_ref_ = kNone;
  const std::byte* classes_ = nullptr;  // 256 bytes
  const std::byte* states_ = nullptr;
  Words lists_;
};

}  // namespace sluice::ruleset
