// compile/compile.h - a typed configuration to what a data plane applies.
//
//   model::Config ──> outbounds: built-ins, proxies, groups, GLOBAL     (outbounds.h)
//                     rules:     lines as shown                         (rule_lines.h)
//                                + one compiled block                   (rule_block.h)
//                     listeners, capture, limits, fake ranges
//
// Deterministic: equal configurations, sets and zones give equal manifests and blobs with equal
// digests, so that a reload sends only what changed. Thread: any; pure but for `inputs`.
#pragma once

#include <vector>

#include "controlplane/compile/inputs.h"
#include "controlplane/compile/slow_pattern.h"
#include "controlplane/model/config.h"
#include "proto/common/result.h"
#include "proto/contract/blob.h"
#include "proto/contract/manifest.h"
#include "proto/ruleset/left_out.h"

namespace sluice::compile {

struct CompileResult {
  contract::Manifest manifest;
  std::vector<contract::BlobPtr> blobs;  ///< exactly what the manifest names
  /// Entries of sets beyond the bounds of a block: nothing matches by them.
  ruleset::LeftOut left_out{};
  std::vector<SlowPattern> slow_patterns;  ///< at most one of each provider
};

/// `config` came from model: every name in it exists. `capture.dns` is left empty: the ports are
/// known once the DNS sockets are open, and who opens them fills it in.
/// Errors: too_large, malformed when the rules and sets do not fit a block.
[[nodiscard]] Result<CompileResult> compile(const model::Config& config, const Inputs& inputs);

/// The same with a block at hand: one that compile() made for equal rules_key() (rules_key.h), sets
/// and zones.
[[nodiscard]] CompileResult compile_around(const model::Config& config, contract::BlobPtr block);

}  // namespace sluice::compile
