// compile/condition_tree.h - AND, OR and NOT of the model as those of the block.
#pragma once

#include <utility>

#include "controlplane/model/condition.h"
#include "proto/ruleset/condition.h"

namespace sluice::compile {

/// `make(atom)` gives the condition of one atom. Depth: the parser's kMaxLogicDepth.
template <class MakeAtom>
ruleset::Condition make_tree(const model::Condition& condition, const MakeAtom& make) {
  using model::Condition;
  switch (condition.op) {
    case Condition::Op::always:
      return ruleset::Condition::always();
    case Condition::Op::never:
      return ruleset::Condition::never();
    case Condition::Op::atom:
      return make(condition.atom);
    case Condition::Op::all:
    case Condition::Op::any:
    case Condition::Op::negation:
      break;
  }
  ruleset::Condition::List parts;
  parts.reserve(condition.operands.size());
  for (const Condition& operand : condition.operands) parts.push_back(make_tree(operand, make));
  if (condition.op == Condition::Op::negation)
    return ruleset::Condition::negate(std::move(parts.front()));
  return condition.op == Condition::Op::all ? ruleset::Condition::all(std::move(parts))
                                            : ruleset::Condition::any(std::move(parts));
}

}  // namespace sluice::compile
