#include "proto/ruleset/simplify.h"

#include <algorithm>

#include "proto/common/name.h"
#include "proto/common/sort_stably.h"
#include "proto/ruleset/bounds.h"
#include "proto/ruleset/word_index.h"

namespace sluice::ruleset {
namespace {

/// What a test costs, in steps of about 2 ns.
int cost(const Condition& c) {
  if (c.op == Op::protocol) return 300;  // may wait for the client
  if (is_owner(c.op)) return 200;        // may start a look-up
  if (is_pattern(c.op)) return 100;
  switch (c.op) {
    case Op::domain_wildcard:
    case Op::domain_labels:
    case Op::domain_keyword:
      return 20;
    case Op::set:
      return 30;
    case Op::all:
    case Op::any:
    case Op::negate: {
      int sum = 1;
      for (const Condition& child : c.children) sum = std::min(sum + cost(child), 1'000);
      return sum;
    }
    default:
      return is_address(c.op) ? 4 : 2;
  }
}

Condition simple_wildcard(const Condition& c) {
  const std::string_view text = c.text;
  const std::string_view literal = longest_literal(text);
  if (text.empty()) return Condition::never();
  if (literal.size() == text.size()) return Condition::domain(literal);
  if (text.size() == literal.size() + 1 && literal.size() > 1 && text.starts_with("*.") &&
      is_normal_name(literal.substr(1)))
    return Condition::domain_below(literal.substr(1));
  if (text.size() == literal.size() + 2 && !literal.empty() && text.front() == '*' &&
      text.back() == '*')
    return Condition::domain_keyword(literal);
  return c;
}

Condition simple_leaf(const Condition& c) {
  if (c.text.size() > kMaxText_bytes && !is_pattern(c.op)) return Condition::never();
  switch (c.op) {
    case Op::domain:
    case Op::domain_suffix:
    case Op::domain_below:
    case Op::domain_child:
      return is_normal_name(c.text) ? c : Condition::never();
    case Op::domain_wildcard:
      return simple_wildcard(c);
    case Op::domain_labels:
      if (c.text.starts_with("*.") && is_normal_name(c.text.substr(2)) &&
          c.text.find('*', 2) == std::string::npos)
        return Condition::domain_child(std::string_view(c.text).substr(2));
      return c;
    case Op::domain_keyword:
      return c.text.empty() ? Condition::never() : c;
    case Op::user:
    case Op::inbound_name:
    case Op::rematch_name:
      return c.text.empty() || c.text.size() > WordIndex::kMaxWord_bytes ? Condition::never() : c;
    default:
      return c;
  }
}

Condition simple_negation(const Condition& c) {
  Condition child = simplify(c.children.front());
  if (child.op == Op::always) return Condition::never();
  if (child.op == Op::never) return Condition::always();
  if (child.op == Op::negate) return std::move(child.children.front());
  return Condition::negate(std::move(child));
}

}  // namespace

bool is_atom(Op op) noexcept {
  switch (op) {
    case Op::all:
    case Op::any:
    case Op::negate:
    case Op::never:
    case Op::domain_labels:
    case Op::domain_wildcard:
    case Op::time:
    case Op::set:
    case Op::protocol:
      return false;
    default:
      return !is_owner(op) && !is_pattern(op);
  }
}

bool is_address(Op op) noexcept {
  return op >= Op::destination && op <= Op::source_suffix;
}

bool is_owner(Op op) noexcept {
  return op == Op::uid || (op >= Op::process_name && op <= Op::process_path_regex);
}

bool is_pattern(Op op) noexcept {
  return op == Op::domain_regex || op == Op::process_name_regex || op == Op::process_path_regex;
}

std::string_view longest_literal(std::string_view pattern) noexcept {
  std::string_view best;
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find_first_of("*?"), pattern.size());
    if (end > best.size()) best = pattern.substr(0, end);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return best;
}

Condition simplify(const Condition& c) {
  if (c.op == Op::negate) return simple_negation(c);
  if (c.op != Op::all && c.op != Op::any) return simple_leaf(c);
  const bool all = c.op == Op::all;
  const Op neutral = all ? Op::always : Op::never;
  Condition::List out;
  for (const Condition& child : c.children) {
    Condition one = simplify(child);
    if (one.op == neutral) continue;
    if (one.op == (all ? Op::never : Op::always)) return one;
    if (one.op == c.op)
      out.insert(out.end(), std::make_move_iterator(one.children.begin()),
                 std::make_move_iterator(one.children.end()));
    else
      out.push_back(std::move(one));
  }
  if (out.empty()) return all ? Condition::always() : Condition::never();
  if (out.size() == 1) return std::move(out.front());
  sort_stably(out.begin(), out.end(),
              [](const Condition& a, const Condition& b) { return cost(a) < cost(b); });
  return all ? Condition::all(std::move(out)) : Condition::any(std::move(out));
}

Condition adapted(const Condition& entry, bool resolve, Compared side) {
  Condition out = entry;
  if (side == Compared::source) {
    constexpr Op pairs[][2] = {{Op::destination, Op::source},
                               {Op::destination_suffix, Op::source_suffix},
                               {Op::destination_port, Op::source_port}};
    for (const auto& [to, from] : pairs) {
      if (entry.op == to) out.op = from;
      if (entry.op == from) out.op = to;
    }
    out.resolve = false;
  }
  if (!resolve) out.resolve = false;
  for (Condition& child : out.children) child = adapted(child, resolve, side);
  return out;
}

}  // namespace sluice::ruleset
