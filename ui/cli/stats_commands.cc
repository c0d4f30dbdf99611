#include "ui/cli/stats_commands.h"

#include <algorithm>
#include <iterator>

#include "proto/common/clock.h"
#include "ui/cli/show_stats.h"
#include "ui/cli/terminal.h"

namespace sluice::cli {

Outcome<void> stats(Client& client, const Invocation& in) {
  static_assert(std::size(kStatsWords) == pb::StatsBy_ARRAYSIZE);
  pb::GetStatsRequest request;
  const auto* const word = std::ranges::find(kStatsWords, in.by);
  request.set_by(static_cast<pb::StatsBy>(std::distance(std::begin(kStatsWords), word)));
  if (in.since_s != 0)
    request.set_since_wall_ms(std::max<std::int64_t>(1, wall_ms() - in.since_s * 1000LL));
  request.set_limit(in.rows);
  const auto reply = client.stats(request);
  if (!reply) return std::unexpected(reply.error());
  if (in.json)
    print(stats_json(*reply, request.by()));
  else if (in.csv)
    print(stats_csv(*reply, request.by()));
  else
    print(stats_text(*reply, request.by(), screen_now()));
  return {};
}

Outcome<void> memory(Client& client, const Invocation& in) {
  const auto reply = client.memory();
  if (!reply) return std::unexpected(reply.error());
  print(in.json ? memory_json(*reply) : memory_text(*reply, screen_now()));
  return {};
}

}  // namespace sluice::cli
