// cli/update_view.h - `rules update`: how the refresh of each provider goes.
//
// On a terminal one line a provider, painted over in place; else one line for each that has ended.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ui/cli/show.h"

namespace sluice::cli {

class UpdateView {
 public:
  /// What to print for news on a terminal that is `width` columns wide.
  [[nodiscard]] std::string paint(const pb::RuleProviderUpdates& news, std::size_t width);
  /// What to print where lines stay.
  [[nodiscard]] std::string report(const pb::RuleProviderUpdates& news);
  /// One JSON object a line, for each piece of news: {name, state, received, total, reason}.
  [[nodiscard]] std::string json(const pb::RuleProviderUpdates& news);

  [[nodiscard]] bool any_failed() const noexcept { return any_failed_; }
  /// No provider was heard of.
  [[nodiscard]] bool empty() const noexcept { return providers_.empty(); }

 private:
  void take(const pb::RuleProviderUpdates& news);

  std::vector<pb::RuleProviderUpdate> providers_;  ///< as first heard of
  std::size_t painted_ = 0;                        ///< lines above the cursor
  bool any_failed_ = false;
};

}  // namespace sluice::cli
