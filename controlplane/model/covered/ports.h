// covered/ports.h - port ranges inside an earlier line's range.
//
//   first   80      443      8000           Ranges that lie in no other one, by their first port:
//   so last    80      500      8100           their last ports ascend as well, and what holds a
//   range line     3        0         7           is the last entry that begins at or before it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "controlplane/model/condition.h"

namespace sluice::model::covered {

class Ports {
 public:
  /// Lines are added in their order. Ranges that touch count as one.
  void add(std::vector<PortRange> ranges, std::uint32_t line);
  /// A line whose ranges hold all of these. Not every such line is found when there are several
  /// ranges, or when several lines hold them together.
  [[nodiscard]] std::optional<std::uint32_t> find(const std::vector<PortRange>& ranges) const;

 private:
  struct Reach {
    std::uint16_t last;
    std::uint32_t line;
  };
  [[nodiscard]] const Reach* holder_of(const PortRange& range) const noexcept;
  void add_one(const PortRange& range, std::uint32_t line);

  std::map<std::uint16_t, Reach> widest_;  // by first port
};

}  // namespace sluice::model::covered
