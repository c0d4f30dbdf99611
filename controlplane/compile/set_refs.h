// compile/set_refs.h - which sets the rules of a configuration name.
#pragma once

#include <optional>
#include <vector>

#include "controlplane/compile/set_input.h"
#include "controlplane/model/config.h"

namespace sluice::compile {

/// The set that an atom names; nothing for other atoms and for GEOIP,lan, which needs none.
[[nodiscard]] std::optional<SetRef> set_of(const model::Atom& atom);
[[nodiscard]] bool names_a_set(const model::Condition& condition);

/// Those of `rules`, of the sub-rule lists that are used and of the sniffer, each once, in
/// ascending order. Lines of classical sets may name geo sets besides: compile() asks for those
/// while it reads the sets.
[[nodiscard]] std::vector<SetRef> sets_of(const model::Config& config);

}  // namespace sluice::compile
