// ruleset/plan.h - from lines and sets to positions: the expanded order, who stands in which index,
// and the programs.
//
//   line 7  OR(a.test, set 1, NETWORK and PORT)     position 9   a.test, set 1     (no program)
//                                                   position 10  NETWORK and PORT  (program)
//
// Parts of an OR that ask for nothing become positions of their own: indexes answer them, or their
// own triggers lead to them. What may ask, and what the answer may change, stays together, so that
// a part that holds anyway spares the question. Thread: one owner; works on a Builder's source and
// changes nothing there.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/common/result.h"
#include "proto/ruleset/builder.h"
#include "proto/ruleset/program_writer.h"
#include "proto/ruleset/ref_table.h"
#include "proto/ruleset/view.h"

namespace sluice::ruleset {

class Plan {
 public:
  explicit Plan(const Builder::Source& source);
  /// Errors: too_large, malformed; see Builder::finish().
  Status make();

  std::vector<Slot> slots;             ///< one per position
  std::vector<Group> groups;           ///< as the Builder's
  std::vector<std::uint32_t> starts;   ///< first position of each entry but the list proper
  std::vector<std::uint32_t> resolve;  ///< positions that may ask for an address, ascending
  std::vector<std::uint32_t> kinds;    ///< of the sets inside conditions, as in the block
  Entries entries;                     ///< held by positions
  RefTable refs;
  ProgramWriter programs;

 private:
  Status add_item(const Builder::Item& item);
  Status add_condition(const Condition& condition);
  Status add_program(const Condition& condition);
  Result<Condition> with_entries(const Condition& condition) const;
  void hold(std::uint32_t position, const Condition& part);
  [[nodiscard]] bool is_plain(const Condition& part) const;
  [[nodiscard]] bool asks(const Condition& part) const;
  [[nodiscard]] bool sees_answers(const Condition& part) const;
  Status open_groups();
  [[nodiscard]] std::uint32_t top_of(const Builder::Item& item) const;
  [[nodiscard]] bool begins_a_line(std::size_t item);
  void close_line(std::size_t first);
  void close_groups();
  void close_sets();
  std::uint32_t next_position(const Builder::Item& item);

  const Builder::Source& source_;
  std::vector<std::uint32_t> outermost_;  // by group
  const Builder::Item* item_ = nullptr;   // at work
};

}  // namespace sluice::ruleset
