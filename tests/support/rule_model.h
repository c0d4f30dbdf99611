// support/rule_model.h - rule lists as plain trees and the naive way to decide a flow: from the
// top, every test written out, over three values. Shares no code with proto/ruleset but the types
// of its questions (Key) and the calls that build a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/ruleset/builder.h"
#include "proto/ruleset/match.h"

namespace sluice::test {

using ruleset::Compared;
using ruleset::Condition;
using ruleset::Known;
using ruleset::Resolve;

/// One test, or a branch over others.
struct Tree {
  enum class Kind : std::uint8_t {
    all,
    any,
    negate,
    domain,
    suffix,
    below,
    child,
    labels,
    keyword,
    wildcard,
    regex,
    destination,
    source,
    destination_tail,
    source_tail,
    destination_port,
    source_port,
    in_port,
    network,
    in_type,
    dscp,
    uid,
    mac,
    user,
    inbound,
    rematch,
    time,
    process_name,
    process_path,
    process_wildcard,
    process_regex,
    protocol,
    set,
    always,
    never,
  };
  Kind kind = Kind::never;
  std::string text;
  IpAddress address;
  unsigned length = 0;
  bool resolve = false;
  bool for_source = false;  // sets
  std::vector<ruleset::PortRange> ports;
  std::vector<std::uint8_t> types;
  std::uint32_t first = 0;  // network, dscp, uid, bits of protocols, set
  std::uint32_t last = 0;
  ruleset::MacAddress mac{};
  ruleset::TimeWindow window;
  std::vector<Tree> children;
};

/// A line of the list, or of a SUB-RULE's list.
struct Place {
  std::uint32_t line = 0;
  Tree tree;
  std::vector<std::uint32_t> inside;  // SUB-RULEs between the top and it, outermost first
};
struct TopLine {
  std::uint32_t line = 0;
  bool group = false;
  std::vector<Place> places;  // one unless it is a group
};
using List = std::vector<TopLine>;
/// What happens to a flow that a line catches. `again`: a walk of Aim::entry begins, once for each
/// such line; at its second turn the line takes the flow.
enum class Target : std::uint8_t { take, pass, pass_rule, again };
struct Aim {
  Target target = Target::take;
  std::uint32_t entry = 0;
  std::string rematch_name;
};

struct Model {
  List list;                  // entry 0: lines 0, 1, ...
  std::vector<List> entries;  // entries 1, 2, ...
  std::vector<std::vector<Tree>> sets;
  std::vector<ruleset::Zone> zones;
  std::vector<Aim> lines;  // by line
  std::set<std::uint32_t> disabled;
};

/// What a decision saw: the lines that caught it, the last of them taken, and what it asked for.
struct Decision {
  std::vector<std::uint32_t> caught;
  std::vector<std::string> asked;
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// What the world answers when asked.
struct Answers {
  IpAddress address;
  ruleset::Owner owner;
  std::optional<std::uint8_t> protocol;
};

Condition condition_of(const Tree& tree);
/// For messages: "all(suffix a.test, negate(destination_port))", kinds by number.
std::string text_of(const Tree& tree);
ruleset::Builder builder_of(const Model& model);
/// The naive decision.
Decision walk(const Model& model, ruleset::Key key, const Answers& answers);
/// The same through a block.
Decision decide(const Model& model, const ruleset::View& view, const ruleset::Match::Tools& tools,
                const ruleset::Key& key, const Answers& answers);

}  // namespace sluice::test
