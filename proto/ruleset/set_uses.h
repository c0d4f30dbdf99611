// ruleset/set_uses.h - sets that stand inside conditions, with those of their entries that need
// programs.
//
//   AND(SRC-IP-CIDR, set 4)      set 4 = 90,000 names, 5,000 wildcards, 3 AND entries
//     names                      in the indexes, under one ref of the set
//     part 0 .. 5,002            one program each, in the indexes under its own triggers
//
// A program that asks for the set looks at the parts to which the indexes lead, not at all of them.
// Each use, by side and by whether it asks for addresses, has its parts once, however many
// conditions name it. Thread: one owner; works on a Builder's sets.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "proto/ruleset/builder.h"
#include "proto/ruleset/left_out.h"
#include "proto/ruleset/program_writer.h"
#include "proto/ruleset/triggers.h"

namespace sluice::ruleset {

class SetUses final : public SetRanks, public ProgramWriter::SetNumbers {
 public:
  struct Part {
    Condition condition;
    Triggers triggers;
  };
  struct Use {
    std::uint32_t set;
    Compared side;
    std::uint32_t first_part = 0;
    std::uint32_t part_count = 0;
    int rank = 0;                          ///< of the set as a trigger
    bool asks = false;                     ///< a part asks for an address
    std::vector<std::uint32_t> positions;  ///< to which the parts' triggers lead as well; ascending
  };
  /// What entries that need programs may do, for a set compared with one side.
  struct Traits {
    bool asks_flow = false;     ///< for its owner or its protocol
    bool asks_address = false;  ///< unless used with Resolve::no
    bool sees_answers = false;  ///< one of these that becomes known may make one hold
  };

  /// Both must outlive it. Parts beyond kMaxParts are left out.
  SetUses(const std::vector<Builder::Set>& sets, LeftOut& left_out);

  /// Needs a set that exists. The order of first use.
  std::uint32_t number_of(const Condition& set) override;
  int rank_of(const Condition& set) override { return uses_[number_of(set)].rank; }
  [[nodiscard]] const Traits& traits(const Condition& set) const {
    return traits_[2 * static_cast<std::size_t>(set.first) + static_cast<std::size_t>(set.side)];
  }
  /// The parts' triggers lead to many positions already; further ones are tried for every flow.
  [[nodiscard]] bool is_full(std::uint32_t use) const;
  /// They lead to this one too, which is none before the last.
  void lead_to(std::uint32_t use, std::uint32_t position);

  [[nodiscard]] const std::vector<Use>& uses() const noexcept { return uses_; }
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }

 private:
  using Key = std::tuple<std::uint32_t, Compared, bool>;
  void add_parts(Use& use, bool resolve);

  const std::vector<Builder::Set>& sets_;
  LeftOut& left_out_;
  std::vector<Traits> traits_;  // two for each set
  std::map<Key, std::uint32_t> numbers_;
  std::vector<Use> uses_;
  std::vector<Part> parts_;
};

}  // namespace sluice::ruleset
