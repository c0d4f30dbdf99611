// ruleset/plan.h - from lines and sets to positions: the expanded order, who stands in which index,
// and the programs.
//
//   line 7  OR(a.test, set 1, NETWORK and PORT)     position 9   a.test, set 1     (no program)
//                                                   position 10  NETWORK and PORT  (program)
//
// Parts of an OR that ask for nothing become positions of their own: indexes answer them, or their
// own triggers lead to them. What may ask, and what the answer may change, stays together, so that
// a part that holds anyway spares the question. Sets inside AND and NOT keep their entries as parts
// of their own (set_uses.h). Thread: one owner; works on a Builder's source and changes nothing
// there.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "proto/common/result.h"
#include "proto/ruleset/builder.h"
#include "proto/ruleset/program_writer.h"
#include "proto/ruleset/ref_table.h"
#include "proto/ruleset/set_uses.h"
#include "proto/ruleset/view.h"

namespace sluice::ruleset {

class Plan {
  const Builder::Source& source_;
  /// Of patterns that run for the same flows.
  struct Steps {
    std::uint32_t taken = 0;
    std::unordered_set<std::string> counted;
  };

 public:
  explicit Plan(const Builder::Source& source);
  /// Errors: too_large, malformed; see Builder::finish().
  Status make();

  std::vector<Slot> slots;             ///< one per position
  std::vector<Group> groups;           ///< as the Builder's
  std::vector<std::uint32_t> starts;   ///< first position of each entry but the list proper
  std::vector<std::uint32_t> resolve;  ///< refs that may ask for an address, ascending
  std::vector<std::uint32_t> sets;  ///< those inside conditions: three words each, as in the block
  std::uint32_t part_count = 0;     ///< of those sets
  Entries entries;                  ///< held by positions and parts
  RefTable refs;
  LeftOut left_out;
  SetUses uses{source_.sets, left_out};
  ProgramWriter programs;

 private:
  Status add_item(const Builder::Item& item);
  Status add_condition(const Condition& condition);
  Status add_program(const Condition& condition);
  Status write_program(std::uint32_t ref, const Condition& condition, const Triggers& triggers,
                       bool& taken);
  Status take_steps(const Condition& condition, const Triggers& triggers);
  Status take_steps(const Condition& condition, const std::string& lead);
  [[nodiscard]] Triggers triggers_for(const Condition& condition);
  void lead_to(std::uint32_t position, const Triggers& triggers);
  Result<Condition> without_empty_sets(const Condition& condition) const;
  void hold(std::uint32_t position, const Condition& part);
  [[nodiscard]] bool is_plain(const Condition& part) const;
  [[nodiscard]] bool asks(const Condition& part) const;
  [[nodiscard]] bool sees_answers(const Condition& part) const;
  [[nodiscard]] bool has_addresses(const Condition& set) const;
  struct Division;
  [[nodiscard]] Division divide(const Condition& condition) const;
  void take_apart(const Condition& set, Condition::List& indexed, Division& to) const;
  Status open_groups();
  [[nodiscard]] std::uint32_t top_of(const Builder::Item& item) const;
  [[nodiscard]] bool begins_a_line(std::size_t item);
  void close_line(std::size_t first);
  void close_groups();
  Status close_sets();
  Status add_parts(const SetUses::Use& use, std::uint32_t first_ref, Kinds& kinds);
  std::uint32_t next_position(const Builder::Item& item);

  std::vector<std::uint32_t> outermost_;          // by group
  const Builder::Item* item_ = nullptr;           // at work
  std::unordered_map<std::string, Steps> steps_;  // by the literal that leads to them
};

}  // namespace sluice::ruleset
