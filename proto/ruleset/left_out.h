// ruleset/left_out.h - what a builder could not take in without passing a bound.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::ruleset {

/// Entries that are not in the block: lists of others must not keep the rest from being built.
/// Nothing matches by them.
struct LeftOut {
  std::uint32_t count = 0;
  std::string first;  ///< text of the first one, for the warning

  void add(std::string_view text, std::uint32_t entries = 1) {
    if (entries != 0 && count == 0) first = text;
    count += entries;
  }
};

}  // namespace sluice::ruleset
