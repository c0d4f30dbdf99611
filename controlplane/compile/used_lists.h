// compile/used_lists.h - the sub-rule lists that flows can come to: from `rules`, from each other,
// from proxies of type rematch.
#pragma once

#include <vector>

#include "controlplane/model/config.h"

namespace sluice::compile {

/// In file order. They point into `config`.
[[nodiscard]] std::vector<const model::SubRules*> used_lists(const model::Config& config);

/// Those that are gone through in place of `rules`: the target lists of rematch proxies, each once,
/// in file order of the lists. The n-th is entry n + 1 of the block.
[[nodiscard]] std::vector<const model::SubRules*> entry_lists(const model::Config& config);

}  // namespace sluice::compile
