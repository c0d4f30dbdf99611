// ruleset/simplify.h - conditions in the form that the planner works on.
//
// AND in AND and OR in OR are one, constants are gone, wildcards that are a name, a suffix or a
// keyword are that, and the cheaper test stands first in AND.
#pragma once

#include "proto/ruleset/condition.h"

namespace sluice::ruleset {

/// Does not look into sets.
[[nodiscard]] Condition simplify(const Condition& condition);

/// One index holds it: a position that has only such atoms, joined by OR, needs no program. Sets
/// are for the caller to judge.
[[nodiscard]] bool is_atom(Op op) noexcept;
[[nodiscard]] bool is_address(Op op) noexcept;  ///< compares addresses
[[nodiscard]] bool is_owner(Op op) noexcept;    ///< compares uid or process
[[nodiscard]] bool is_pattern(Op op) noexcept;  ///< runs a regular expression

/// The longest run of `pattern` without `*` and `?`.
[[nodiscard]] std::string_view longest_literal(std::string_view pattern) noexcept;

/// The condition as an entry of a set that is used so: without asking, or for the source.
[[nodiscard]] Condition adapted(const Condition& entry, bool resolve, Compared side);

}  // namespace sluice::ruleset
