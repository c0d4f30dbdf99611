// From the model to a block, and a decision through it.
#include "tests/support/rule_model.h"

namespace sluice::test {
namespace {

Condition::List conditions_of(const std::vector<Tree>& trees) {
  Condition::List out;
  for (const Tree& tree : trees) out.push_back(condition_of(tree));
  return out;
}

Prefix prefix_of(const Tree& t) {
  return Prefix::of(t.address, t.length);
}

}  // namespace

Condition condition_of(const Tree& t) {
  using Kind = Tree::Kind;
  const Resolve resolve = t.resolve ? Resolve::yes : Resolve::no;
  switch (t.kind) {
    case Kind::all:
      return Condition::all(conditions_of(t.children));
    case Kind::any:
      return Condition::any(conditions_of(t.children));
    case Kind::negate:
      return Condition::negate(condition_of(t.children[0]));
    case Kind::domain:
      return Condition::domain(t.text);
    case Kind::suffix:
      return Condition::domain_suffix(t.text);
    case Kind::below:
      return Condition::domain_below(t.text);
    case Kind::child:
      return Condition::domain_child(t.text);
    case Kind::labels:
      return Condition::domain_labels(t.text);
    case Kind::keyword:
      return Condition::domain_keyword(t.text);
    case Kind::wildcard:
      return Condition::domain_wildcard(t.text);
    case Kind::regex:
      return Condition::domain_regex(t.text);
    case Kind::destination:
      return Condition::destination(prefix_of(t), resolve);
    case Kind::source:
      return Condition::source(prefix_of(t));
    case Kind::destination_tail:
      return Condition::destination_suffix(t.address, t.length, resolve);
    case Kind::source_tail:
      return Condition::source_suffix(t.address, t.length);
    case Kind::destination_port:
      return Condition::destination_ports(t.ports);
    case Kind::source_port:
      return Condition::source_ports(t.ports);
    case Kind::in_port:
      return Condition::in_ports(t.ports);
    case Kind::network:
      return Condition::network(static_cast<Network>(t.first));
    case Kind::in_type:
      return Condition::in_types(t.types);
    case Kind::dscp:
      return Condition::dscp(static_cast<std::uint8_t>(t.first), static_cast<std::uint8_t>(t.last));
    case Kind::protocol:
      return Condition::protocols(t.first);
    case Kind::uid:
      return Condition::uid(t.first, t.last);
    case Kind::mac:
      return Condition::source_mac(t.mac);
    case Kind::user:
      return Condition::user(t.text);
    case Kind::inbound:
      return Condition::inbound_name(t.text);
    case Kind::rematch:
      return Condition::rematch_name(t.text);
    case Kind::time:
      return Condition::time(t.window);
    case Kind::process_name:
      return Condition::process_name(t.text);
    case Kind::process_path:
      return Condition::process_path(t.text);
    case Kind::process_wildcard:
      return Condition::process_name_wildcard(t.text);
    case Kind::process_regex:
      return Condition::process_path_regex(t.text);
    case Kind::set:
      return Condition::in_set({t.first}, resolve,
                               t.for_source ? Compared::source : Compared::destination);
    case Kind::always:
      return Condition::always();
    case Kind::never:
      return Condition::never();
  }
  return Condition::never();
}

std::string text_of(const Tree& t) {
  std::string out = std::to_string(static_cast<int>(t.kind)) + " " + t.text;
  if (t.address.valid()) out += " " + t.address.to_string() + "/" + std::to_string(t.length);
  out += " " + std::to_string(t.first) + "-" + std::to_string(t.last);
  if (t.resolve) out += " resolve";
  for (const Tree& child : t.children) out += " (" + text_of(child) + ")";
  return out;
}

namespace {

void add_group(ruleset::Builder& out, const TopLine& top, bool proper) {
  if (proper)
    out.begin_group();
  else
    out.begin_group(top.line);
  std::vector<std::uint32_t> open;
  for (const Place& place : top.places) {
    const auto same = std::ranges::mismatch(open, place.inside).in1 - open.begin();
    for (; open.size() > static_cast<std::size_t>(same); open.pop_back()) out.end_group();
    for (; open.size() < place.inside.size(); open.push_back(place.inside[open.size()]))
      out.begin_group(place.inside[open.size()]);
    out.place(place.line, condition_of(place.tree));
  }
  for (; !open.empty(); open.pop_back()) out.end_group();
  out.end_group();
}

void add_entries(ruleset::Builder& out, const Model& model) {
  for (const List& list : model.entries) {
    out.begin_entry();
    for (const TopLine& top : list) {
      if (top.group)
        add_group(out, top, false);
      else
        out.place(top.line, condition_of(top.places[0].tree));
    }
  }
}

}  // namespace

ruleset::Builder builder_of(const Model& model) {
  ruleset::Builder out;
  for (const ruleset::Zone& zone : model.zones) out.add_zone(zone);
  std::vector<ruleset::SetId> ids;
  for (std::size_t i = 0; i < model.sets.size(); ++i) ids.push_back(out.add_set());
  // Half of the sets stream in before the lines that use them, half after.
  const auto fill = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      for (const Tree& entry : model.sets[i]) out.add(ids[i], condition_of(entry));
  };
  fill(0, model.sets.size() / 2);
  for (const TopLine& top : model.list) {
    if (top.group)
      add_group(out, top, true);
    else
      out.line(condition_of(top.places[0].tree));
  }
  add_entries(out, model);
  fill(model.sets.size() / 2, model.sets.size());
  return out;
}

Decision decide(const Model& model, const ruleset::View& view, const ruleset::Match::Tools& tools,
                const ruleset::Key& key, const Answers& answers) {
  using Outcome = ruleset::Match::Outcome;
  Decision out;
  std::set<std::uint32_t> again;
  ruleset::Match match(view, key, tools);
  while (true) {
    const ruleset::Match::Step step = match.next();
    switch (step.outcome) {
      case Outcome::end:
        return out;
      case Outcome::needs_address:
        out.asked.emplace_back("address");
        match.set_address(answers.address);
        break;
      case Outcome::needs_protocol:
        out.asked.emplace_back("protocol");
        match.set_protocol(answers.protocol);
        break;
      case Outcome::needs_owner: {
        out.asked.emplace_back(step.process ? "process" : "uid");
        ruleset::Owner owner = answers.owner;
        if (!step.process) owner.process_known = Known::no;
        match.set_owner(owner);
        break;
      }
      case Outcome::line: {
        const ruleset::Slot slot = view.slot(step.position);
        out.caught.push_back(slot.line);
        const Aim& line = model.lines[slot.line];
        if (line.target == Target::take) return out;
        if (line.target != Target::again)
          match.skip_to(line.target == Target::pass ? slot.after
                                                    : view.behind_place(step.position));
        else if (again.insert(slot.line).second)
          match.restart(line.entry, line.rematch_name);
        else
          return out;
        break;
      }
    }
  }
}

}  // namespace sluice::test
