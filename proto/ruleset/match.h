// ruleset/match.h - the positions that match one flow, in order, found through the merged indexes.
//
//   heads:  names 17   keywords >= 4   dst v4 none   ports 30   always 99        resolve 21
//   next(): the smallest head answers; one that is only a lower bound ("keywords >= 4": its first
//           ref is 4, it has not been asked) is asked first. An index whose first ref lies behind
//           the answer is never asked, and one that the block or the flow lacks takes no part.
//
// A position with a condition is a candidate only: its program is run, over three values, since
// the address of the destination, the owner of the flow and its protocol may not be known yet.
// False goes on; unknown ends next() with what is needed. Positions that may match by an address
// that is not known stand in the resolve list, which takes part like an index.
//
// The destination address has two states. Unknown: address entries cannot match. Known (given, or
// looked up once): all address entries from the position that asked on take part.
//
// Memory: about 800 bytes, no allocation. Thread: belongs to the flow that made it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/ruleset/key.h"
#include "proto/ruleset/line_bits.h"
#include "proto/ruleset/patterns.h"
#include "proto/ruleset/view.h"

namespace sluice::ruleset {

/// Told about every index that was asked and every program that was run; for explain only.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `position` is the index's first candidate at or after `from`; kNone when there is none.
  virtual void asked(Index index, std::uint32_t from, std::uint32_t position,
                     std::uint64_t ns) noexcept = 0;
  /// The condition of `position` was tested. `leaf`: the node of its program that decided, for
  /// describe_node(), kNone when no single one did; `held`: that leaf itself was true.
  virtual void tested(std::uint32_t position, Truth truth, std::uint32_t leaf, bool held,
                      std::uint64_t ns) noexcept = 0;
  /// Positions of `line`, or inside the SUB-RULE that it is, were passed over: it is disabled.
  virtual void disabled(std::uint32_t line) noexcept = 0;
};

class Match {
 public:
  enum class Outcome : std::uint8_t { line, needs_address, needs_owner, needs_protocol, end };
  struct Step {
    Outcome outcome = Outcome::end;
    bool process = false;            ///< needs_owner: the process too, not only the user id
    Index index = Index::always;     ///< which one answered; only for `line`
    std::uint32_t position = kNone;  ///< that matched, or that needs the fact
  };
  /// All may be null. Without `patterns` no regular expression matches.
  struct Tools {
    const Patterns* patterns = nullptr;
    const LineBits* disabled = nullptr;
    Observer* observer = nullptr;
  };

  /// `view`, what it views, what `key` views and the tools must outlive the Match.
  /// It walks from the start of `entry`, which is below View::entry_count().
  Match(const View& view, const Key& key, const Tools& tools, std::uint32_t entry = 0) noexcept;
  Match(const View& view, const Key& key) noexcept : Match(view, key, Tools{}) {}

  /// The next matching position after the last one. After needs_address, needs_owner and
  /// needs_protocol the caller sets the fact and asks again; if it does not, the look-up counts as
  /// failed.
  Step next() noexcept;
  /// Walks from the start of `entry` (below View::entry_count()), where REMATCH-NAME lines see
  /// `rematch_name`. What is known about the flow stays known: nothing is asked twice.
  void restart(std::uint32_t entry, std::string_view rematch_name) noexcept;
  /// Indexes that the block has and for which the flow has no key now: bit per Index.
  [[nodiscard]] std::uint32_t absent() const noexcept { return view_->present() & ~usable_; }
  /// Goes on with `position` or a later one.
  void skip_to(std::uint32_t position) noexcept;
  /// The result of the look-up; an invalid address = it failed. No effect unless next() asked.
  void set_address(const IpAddress& address) noexcept;
  /// The same for the owner; `owner.uid_known` or `process_known` other than yes = there is none.
  void set_owner(const Owner& owner) noexcept;
  /// The same for the protocol, a value of contract::Protocol below 32; nothing: it has none of
  /// those that rules name.
  void set_protocol(std::optional<std::uint8_t> protocol) noexcept;

 private:
  enum class Wait : std::uint8_t { nothing, address, owner, protocol };
  /// What a program says, and what it would have to know to say more.
  struct Verdict {
    Truth truth = Truth::no;
    std::uint8_t missing = 0;  // of kMissing...
    std::uint32_t leaf = kNone;
    bool held = false;
  };
  inline static constexpr std::uint8_t kMissingAddress = 1;
  inline static constexpr std::uint8_t kMissingUid = 2;
  inline static constexpr std::uint8_t kMissingProcess = 4;
  inline static constexpr std::uint8_t kMissingProtocol = 8;

  [[nodiscard]] std::uint32_t usable() const noexcept;
  void begin(std::uint32_t entry) noexcept;
  void take_part(Index index, std::uint32_t from) noexcept;
  void open_destination() noexcept;
  void settle() noexcept;
  [[nodiscard]] bool pass_disabled(std::uint32_t position) noexcept;
  [[nodiscard]] bool consider(std::uint32_t position, Index index, bool by_resolve,
                              Step& out) noexcept;
  [[nodiscard]] Step need(const Verdict& verdict, std::uint32_t position) noexcept;

  // match_ask.cc: one index at a time.
  void ask(std::uint32_t lane) noexcept;
  [[nodiscard]] std::uint32_t next_in(Index index, std::uint32_t from) noexcept;
  void find(Index index) noexcept;
  [[nodiscard]] std::uint32_t key32(Index index) const noexcept;
  [[nodiscard]] Key128 key128(Index index) const noexcept;
  [[nodiscard]] std::string_view key_word(Index index) const noexcept;

  // evaluate.cc: programs.
  [[nodiscard]] Verdict evaluate(std::uint32_t position, std::uint32_t root) noexcept;
  [[nodiscard]] Verdict run(std::uint32_t at) noexcept;
  [[nodiscard]] Verdict run_branch(const Node& node, std::uint32_t at) noexcept;
  [[nodiscard]] Verdict run_leaf(const Node& node) noexcept;
  [[nodiscard]] Verdict run_address(const Node& node) const noexcept;
  [[nodiscard]] Verdict run_owner(const Node& node) const noexcept;
  [[nodiscard]] Verdict run_protocol(const Node& node) const noexcept;
  [[nodiscard]] Verdict run_set(const Node& node) noexcept;
  [[nodiscard]] Verdict run_parts(const SetEntries& set) noexcept;
  [[nodiscard]] std::uint32_t next_part(const SetEntries& set, std::uint32_t from) noexcept;
  [[nodiscard]] bool run_name(const Node& node) const noexcept;
  [[nodiscard]] bool run_process(const Node& node) const noexcept;
  [[nodiscard]] bool run_time(const Node& node) noexcept;

  const View* view_;
  Tools tools_;
  Key key_;
  std::uint32_t from_ = 0;         // positions below are done
  std::uint32_t end_ = 0;          // of the list that is walked
  std::uint32_t resolve_ = kNone;  // first position that would ask for an address
  std::uint32_t usable_ = 0;       // bit per index: the block and the flow both have it
  std::uint32_t found_ = 0;        // bit per index: its node is known
  std::uint32_t exact_ = 0;        // bit per lane: its head is a ref, not a lower bound
  std::uint32_t lane_count_ = 0;
  bool address_settled_ = false;
  bool process_asked_ = false;
  Wait wait_ = Wait::nothing;
  std::array<std::uint32_t, kIndexCount> heads_;  // per lane
  std::array<Index, kIndexCount> lanes_;          // the indexes that take part
  std::array<std::uint32_t, kIndexCount> nodes_;  // per index, valid where found_
  NameIndex::Found name_;
  KeywordIndex::Found keywords_;
};

}  // namespace sluice::ruleset
