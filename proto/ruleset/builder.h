// ruleset/builder.h - turns an ordered rule list into a block. Same calls in the same order give
// the same bytes, whatever the machine.
//
//   Builder b;
//   b.domain_suffix("example.test");                            // line 0
//   b.destination(*Prefix::parse("10.0.0.0/8"), Resolve::yes);  // line 1
//   const SetId ads = b.add_set();                              // entries stream in, before or
//   b.domain_suffix(ads, "tracker.test");                       // after the lines that use them
//   b.line(Condition::all({Condition::in_set(ads, Resolve::no),
//                          Condition::network(Network::udp)})); // line 2
//   b.begin_group();                                            // line 3: SUB-RULE
//   b.place(5, Condition::all({guard, first}));                 //   its lines, numbered by
//   b.place(6, Condition::all({guard, second}));                //   the caller
//   b.end_group();
//   b.always();                                                 // line 4
//   b.begin_entry();                                            // entry 1: a walk may begin here
//   b.place(5, first);                                          //   in place of line 0
//   Result<std::vector<std::byte>> block = b.finish();
//
// Thread: one owner. Allocates; not for the packet path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proto/common/result.h"
#include "proto/ruleset/condition.h"
#include "proto/ruleset/entries.h"
#include "proto/ruleset/left_out.h"
#include "proto/ruleset/zone.h"

namespace sluice::ruleset {

class Builder {
 public:
  /// The next line of the list. What any of its parts shares with other lines is stored once.
  void line(const Condition& condition);
  /// Lines of one condition each, without a tree: for long lists.
  void domain(std::string_view name);
  void domain_suffix(std::string_view name);
  void domain_keyword(std::string_view keyword);
  void destination(const Prefix& prefix, Resolve resolve);
  void source(const Prefix& prefix);
  void destination_ports(std::span<const PortRange> ranges);
  void source_ports(std::span<const PortRange> ranges);
  void network(Network network);
  void in_types(std::span<const std::uint8_t> types);
  void always();
  /// Keeps the count of lines right for a line that is known but cannot match.
  void never();

  /// The next line of the list is a SUB-RULE: what place() adds until end_group() belongs to it.
  /// A target that passes, and a group that is disabled, go on behind the group.
  void begin_group();
  /// The same inside a group or an entry, where line `line`, numbered as for place(), is a SUB-RULE
  /// itself. What it holds still carries all conditions around it.
  void begin_group(std::uint32_t line);
  /// A line of the group or entry. `line` is its number among all lines: such lines stand behind
  /// the last one of the list proper, and one may stand in several groups and entries.
  void place(std::uint32_t line, const Condition& condition);
  void end_group();

  /// Another list, from which a walk may begin in place of the list proper and at whose end it
  /// ends. Calls count from 1; entry 0 is the list proper, which must be complete. Its lines come
  /// by place() and begin_group(line), up to the next call.
  void begin_entry();

  /// A set without entries.
  SetId add_set();
  /// Entries. A name that is not in normal form, and a keyword that no name holds, match nothing.
  void domain(SetId set, std::string_view name);
  void domain_suffix(SetId set, std::string_view name);
  void destination(SetId set, const Prefix& prefix, Resolve resolve = Resolve::yes);
  /// Any other entry: its atoms join the indexes; what needs a program becomes a line's next place.
  void add(SetId set, const Condition& entry);

  ZoneId add_zone(Zone zone);

  /// Lines so far: those of the list and the numbers that place() named.
  [[nodiscard]] std::uint32_t line_count() const noexcept { return line_count_; }
  /// The block of everything so far. Errors: too_large (kMaxLines, kMaxBlock_bytes, kMaxSetRefs),
  /// malformed (a pattern, a set or zone that does not exist, conditions deeper than kMaxDepth, a
  /// group that is still open).
  [[nodiscard]] Result<std::vector<std::byte>> finish();
  /// What the last finish() left out, so that one entry does not cost the whole list: names that
  /// were made to collide, keywords, patterns and parts of sets beyond the bounds. Nothing matches
  /// by them.
  [[nodiscard]] const LeftOut& left_out() const noexcept { return left_out_; }

  // What finish() works on; shared with the other writers of this room.
  struct Item {
    std::uint32_t line;
    std::uint32_t group;      ///< around it, in `groups`; kNone: none
    std::uint32_t condition;  ///< in `conditions`; kNone: all that it is lies in `entries`
    bool asks;                ///< one of those asks for an address
  };
  struct Set {
    std::vector<Condition> conditional;  ///< entries that need a program
    std::uint32_t kinds = 0;             ///< bit per Index that holds entries
    bool asks = false;                   ///< an entry asks for an address
  };
  struct Group {
    std::uint32_t line;   ///< the SUB-RULE
    std::uint32_t outer;  ///< around it, an earlier one; kNone: none
  };
  struct Source {
    std::vector<Item> items;
    std::vector<Group> groups;
    std::vector<std::uint32_t> starts;  ///< first item of each entry but the list proper; ascending
    std::vector<Condition> conditions;
    std::vector<Set> sets;
    std::vector<Zone> zones;
    Entries entries;  ///< of sets, and of items without a condition
  };

 private:
  Holder next_item();
  void add_item(std::uint32_t line, const Condition& condition);
  void open_group(std::uint32_t line);
  void note(SetId set, Kinds kinds, bool asks);
  Holder holder_of(SetId set);

  std::uint32_t line_count_ = 0;
  std::uint32_t next_line_ = 0;  ///< of the list proper
  std::uint32_t group_ = kNone;  ///< the innermost open one
  bool wrong_ = false;           ///< a call that finish() refuses
  Source source_;
  LeftOut left_out_;
};

}  // namespace sluice::ruleset
