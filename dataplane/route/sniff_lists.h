// route/sniff_lists.h - the sniffer's lists: entries of the rules' block whose lines nobody sees.
//
//   block   lines of `rules` | one line for each list
//   walks   rules, REMATCH, listeners stay left; a list is its own walk, asked yes or no
#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/route/check.h"
#include "proto/ruleset/key.h"

namespace sluice::route {

/// Those that there are.
[[nodiscard]] std::vector<std::uint32_t> sniff_entries(const contract::Sniffer& sniffer);

/// That they are entries of the block, that their lines stand behind those of the rules, and that
/// no walk over rules comes to one.
[[nodiscard]] Check check_sniff_lists(const contract::Manifest& manifest,
                                      const ruleset::View& view);

/// Where the positions of rules end.
[[nodiscard]] std::uint32_t rules_end(const contract::Sniffer& sniffer, const ruleset::View& view);

/// Whether what `key` shows is in the list; an absent one holds nothing. Asks for nothing.
[[nodiscard]] bool is_listed(const Snapshot& snapshot, const std::optional<std::uint32_t>& entry,
                             const ruleset::Key& key) noexcept;

}  // namespace sluice::route
