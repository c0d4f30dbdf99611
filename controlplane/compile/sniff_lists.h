// compile/sniff_lists.h - the lists of `sniffer:` as entries of the block of the rules.
//
//   rules and sub-rules   lines 0 .. n - 1
//   force-domain          line n       entry e
//   skip-dst-address      line n + 1   entry e + 1
//
// Each list that has entries is one line, a walk of its own behind those of entry_lists().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "controlplane/model/config.h"
#include "proto/contract/manifest.h"

namespace sluice::compile {

struct SniffEntry {
  const model::SniffList* list = nullptr;
  std::optional<std::uint32_t> contract::Sniffer::* entry = nullptr;  ///< that names it
};

/// Those that have entries, in the order of the block; none while the sniffer is off. They point
/// into `config`.
[[nodiscard]] std::vector<SniffEntry> sniff_lists(const model::Config& config);

[[nodiscard]] model::Condition condition_of(const model::SniffList& list);

/// The map as the data plane takes it.
[[nodiscard]] contract::Sniffer compile_sniffer(const model::Config& config);

}  // namespace sluice::compile
