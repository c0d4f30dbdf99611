// compile/private_ranges.h - GEOIP,lan: addresses that lie on no public network. Needs no file.
#pragma once

#include "controlplane/model/condition.h"
#include "proto/ruleset/condition.h"

namespace sluice::compile {

/// GEOIP,lan or GEOIP,!lan.
[[nodiscard]] bool is_private_ranges(const model::Atom& atom) noexcept;
/// Needs is_private_ranges(atom).
[[nodiscard]] ruleset::Condition make_private_ranges(const model::Atom& atom);

/// The flow has an address of the side that `atom` compares: what is outside of a set of addresses
/// must have one. With a destination the address is asked for, unless `no-resolve` is set.
[[nodiscard]] ruleset::Condition has_address(const model::Atom& atom);

}  // namespace sluice::compile
