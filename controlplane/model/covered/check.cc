// Lines that an earlier line of their list covers. Only lines of one atom are compared: what a tree
// of conditions takes is not looked into.
//
// Whether an address line is reached with an address depends on the lines above it:
//
//   no-resolve | ... | conditional line that may ask | ... | first line that asks | everything
//   below
//   |--- stage 1 ---||---------- stage 2 -----------------||------------- stage 0 --------------|
//
// Before some line asks, an address line with no-resolve passes over flows known by name only. It
// covers no line of a later stage, where their address may have become known. From the first
// unconditional line that asks, all lines meet the same facts, so no-resolve makes no difference.
#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "controlplane/model/covered/names.h"
#include "controlplane/model/covered/ports.h"
#include "controlplane/model/covered/prefixes.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

using Line = std::uint32_t;

class Coverage {
 public:
  Coverage(const std::vector<Rule>& rules, const std::vector<Lets>& lets) noexcept
      : rules_(rules), lets_(lets) {}

  /// Calls `say(line, by)` for every line that is covered.
  template <class F>
  void run(const F& say) {
    for (Line i = 0; i < rules_.size(); ++i) {
      const Rule& rule = rules_[i];
      if (rule.condition.op == Condition::Op::always && lets_[i] == Lets::none) break;
      note_asking(rule);
      if (rule.condition.op != Condition::Op::atom) continue;
      const bool covers = !rule.sub_rule && lets_[i] == Lets::none;
      if (const auto by = meet(rule.condition.atom, i, covers)) say(i, *by);
    }
    for (const auto& found : prefixes_.find_all()) say(found.line, found.by);
  }

 private:
  void note_asking(const Rule& rule) noexcept {
    if (known_) return;
    const Condition& condition = rule.condition;
    const bool certainly = condition.op == Condition::Op::atom &&
                           condition.atom.asks_for_address() &&
                           condition.atom.kind != AtomKind::rule_set;
    if (certainly) {
      known_ = true;
    } else if (rule.sub_rule || condition.may_ask_for_address()) {
      ++stage_;
    }
  }

  /// 0: with all that is known from some line on; also what never depends on addresses.
  [[nodiscard]] std::uint32_t stage_of(const Atom& atom) const noexcept {
    const bool depends = takes_address_options(atom.kind) && !atom.source;
    return depends && !known_ && atom.no_resolve ? stage_ : 0;
  }

  /// The line that covers this one, and this one's place among those that come later. Prefixes are
  /// compared at the end.
  std::optional<Line> meet(const Atom& atom, Line line, bool covers) {
    switch (atom.kind) {
      case AtomKind::domain:
      case AtomKind::domain_suffix:
        return meet_name(atom, line, covers);
      case AtomKind::ip_cidr:
        prefixes_.add(stage_of(atom) << 1U | (atom.source ? 1U : 0U),
                      std::get<Prefix>(atom.payload), line, covers);
        return std::nullopt;
      case AtomKind::dst_port:
        return meet_ports(ports_[0], atom, line, covers);
      case AtomKind::src_port:
        return meet_ports(ports_[1], atom, line, covers);
      case AtomKind::in_port:
        return meet_ports(ports_[2], atom, line, covers);
      default:
        return meet_same(atom, line, covers);
    }
  }

  std::optional<Line> meet_name(const Atom& atom, Line line, bool covers) {
    const std::string& name = std::get<std::string>(atom.payload);
    const bool suffix = atom.kind == AtomKind::domain_suffix;
    const auto by = names_.find(name, suffix);
    if (by || !covers) return by;
    if (suffix)
      names_.add_suffix(name, line);
    else
      names_.add_exact(name, line);
    return std::nullopt;
  }

  static std::optional<Line> meet_ports(covered::Ports& ports, const Atom& atom, Line line,
                                        bool covers) {
    const auto& ranges = std::get<std::vector<PortRange>>(atom.payload);
    const auto by = ports.find(ranges);
    if (!by && covers) ports.add(ranges, line);
    return by;
  }

  /// The same atom again, as its text tells: kinds in here have one spelling but for capitals.
  std::optional<Line> meet_same(const Atom& atom, Line line, bool covers) {
    const std::uint32_t stage = stage_of(atom);
    for (const std::uint32_t s : {0U, stage})
      for (auto [it, end] = same_.equal_range(key_of(atom, s, line)); it != end; ++it)
        if (same(rules_[it->second].condition.atom, atom)) return it->second;
    if (covers) same_.emplace(key_of(atom, stage, line), line);
    return std::nullopt;
  }

  [[nodiscard]] std::string key_of(const Atom& atom, std::uint32_t stage, Line line) const {
    std::string out = rules_[line].payload_text;
    for (char& c : out) c = to_lower(c);
    return out + "," + std::to_string(static_cast<unsigned>(atom.kind)) + "," +
           std::to_string(stage);
  }

  static bool same(const Atom& a, const Atom& b) noexcept {
    return a.kind == b.kind && a.source == b.source && a.payload == b.payload;
  }

  const std::vector<Rule>& rules_;
  const std::vector<Lets>& lets_;
  std::uint32_t stage_ = 1;
  bool known_ = false;
  covered::Names names_;
  covered::Prefixes prefixes_;
  std::array<covered::Ports, 3> ports_;
  std::unordered_multimap<std::string, Line> same_;
};

}  // namespace

void check_covered(const std::vector<Rule>& rules, const std::vector<Lets>& lets,
                   std::string_view list, Report& report) {
  Coverage(rules, lets).run([&](Line line, Line by) {
    const Rule& earlier = rules[by];
    report.warning(place_of(rules[line], list),
                   quote(to_text(rules[line])) +
                       " can never match: " + join_path(list, earlier.index) + " on line " +
                       std::to_string(earlier.at.line) + ", " + quote(to_text(earlier)) +
                       ", takes all of it",
                   "remove it, or move it above that line");
  });
}

}  // namespace sluice::model
