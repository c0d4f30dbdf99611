// compile/used_lists.h - the sub-rule lists that flows can come to: from `rules`, from each other,
// from listeners, from proxies of type rematch.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "controlplane/model/config.h"

namespace sluice::compile {

/// In file order. They point into `config`.
[[nodiscard]] std::vector<const model::SubRules*> used_lists(const model::Config& config);

/// Those that are gone through in place of `rules`: the target lists of rematch proxies and the
/// lists of listeners, each once, in file order of the lists. The n-th is entry n + 1 of the block.
[[nodiscard]] std::vector<const model::SubRules*> entry_lists(const model::Config& config);
/// The entry of the block that walks the list of this name.
[[nodiscard]] std::optional<std::uint32_t> entry_of(
    const std::vector<const model::SubRules*>& entries, std::string_view list);

}  // namespace sluice::compile
