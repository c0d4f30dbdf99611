// compile/rules_key.h - a name for everything that the configuration puts into a block, so that an
// earlier block is found again without compiling.
//
//   equal rules_key + equal contents of the sets + equal zones  =>  equal blocks
//
// Of rules and used sub-rule lists it covers conditions with their options, order and which list a
// line goes to; behind them the lists of the sniffer. Targets and places in the file stand in the
// manifest, not in the block.
#pragma once

#include "controlplane/model/config.h"
#include "proto/contract/version.h"

namespace sluice::compile {

/// Raised whenever the same configuration becomes another block, or its sets are told otherwise.
inline constexpr std::uint32_t kBlockVersion = 2;

[[nodiscard]] contract::Digest rules_key(const model::Config& config);

}  // namespace sluice::compile
