// compile/atoms.h - atoms of the model as conditions of the block, all but those that name sets.
#pragma once

#include <vector>

#include "controlplane/compile/zones.h"
#include "controlplane/model/condition.h"
#include "proto/ruleset/condition.h"

namespace sluice::compile {

/// Whether it is asked whose socket a client's is.
enum class Owners : bool { off, on };

/// never for an atom that names a set (set_refs.h), and for one that needs an owner when those are
/// off.
[[nodiscard]] ruleset::Condition make_atom(const model::Atom& atom, Zones& zones, Owners owners);

/// UID and PROCESS-*: whoever decides must ask whose socket the client's is.
[[nodiscard]] bool needs_owner(model::AtomKind kind) noexcept;

[[nodiscard]] inline ruleset::Resolve resolve_of(const model::Atom& atom) noexcept {
  return atom.no_resolve ? ruleset::Resolve::no : ruleset::Resolve::yes;
}
/// Of dst_port, src_port and in_port.
[[nodiscard]] std::vector<ruleset::PortRange> ports_of(const model::Atom& atom);
/// Of in_type, as the block counts them.
[[nodiscard]] std::vector<std::uint8_t> inbound_types_of(const model::Atom& atom);

}  // namespace sluice::compile
