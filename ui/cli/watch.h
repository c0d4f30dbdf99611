// cli/watch.h - `flows --watch`: one frame after another, the busiest flows first.
//
// A frame goes to the home position, overwrites line by line and clears the rest, so nothing
// flickers and an interrupt at any moment leaves a usable terminal. Pure: time is a parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "proto/common/clock.h"
#include "ui/cli/show.h"

namespace sluice::cli {

class WatchScreen {
 public:
  /// `height` lines at most, 0 = no limit. The first frame clears the screen.
  [[nodiscard]] std::string frame(pb::FlowTable table, const Screen& screen, std::size_t height,
                                  Moment now);

 private:
  void sort_busiest_first(pb::FlowTable& table) const;

  pb::FlowTable before_;
  std::map<std::uint64_t, std::uint64_t> bytes_before_;  ///< flow id -> upload + download
  Moment before_at_{};
  bool first_ = true;
};

}  // namespace sluice::cli
