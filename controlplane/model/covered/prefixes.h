// covered/prefixes.h - prefixes inside an earlier line's prefix.
//
// Sorted by base and length, a prefix follows those that hold it, so one pass with a stack of the
// prefixes around the current one finds the earliest line among them.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/common/address.h"

namespace sluice::model::covered {

class Prefixes {
 public:
  /// Only lines of one `group` cover each other. `covers`: false for a line that is looked at and
  /// hides nothing.
  void add(std::uint32_t group, const Prefix& prefix, std::uint32_t line, bool covers) {
    entries_.push_back({group, prefix, line, covers});
  }

  struct Found {
    std::uint32_t line;
    std::uint32_t by;  ///< the earliest line that takes all of it
  };
  /// Every line that is covered, in no order. Sorts what was added.
  [[nodiscard]] std::vector<Found> find_all();

 private:
  struct Entry {
    std::uint32_t group;
    Prefix prefix;
    std::uint32_t line;
    bool covers;
  };
  std::vector<Entry> entries_;
};

}  // namespace sluice::model::covered
