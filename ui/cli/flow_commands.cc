#include "ui/cli/flow_commands.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "proto/common/clock.h"
#include "ui/cli/human.h"
#include "ui/cli/show.h"
#include "ui/cli/terminal.h"
#include "ui/cli/top_screen.h"
#include "ui/cli/watch.h"

namespace sluice::cli {
namespace {

constexpr std::uint32_t kWatchInterval_ms = 1000;

FlowFilter filter_of(const Invocation& in) {
  return {in.flows.client, in.flows.host, in.flows.outbound, in.flows.rule, in.flows.min_rate};
}

/// On a terminal like top; else one table (or JSON line) after the other.
Outcome<void> watch(Client& client, const Invocation& in) {
  WatchScreen screen;
  FlowRates rates;
  const FlowFilter filter = filter_of(in);
  return client.watch_flows(kWatchInterval_ms, [&](const pb::FlowTable& news) {
    pb::FlowTable table = news;
    rates.look(table, monotonic_now());
    keep_wanted(table, filter, rates);
    if (in.json) return print(flows_json(table));
    const Terminal now = terminal();
    if (now.present)
      return print(screen.frame(table, {now.width, wall_ms()}, now.height, monotonic_now()));
    return print(flows_text(table, screen_now()) + "\n");
  });
}

/// A table whose flows have rates: two looks, a second apart.
Outcome<pb::FlowTable> look_twice(Client& client, FlowRates& rates) {
  pb::FlowTable last;
  const auto done = client.watch_flows(kWatchInterval_ms, [&](const pb::FlowTable& table) {
    last = table;
    rates.look(table, monotonic_now());
    return !rates.known();
  });
  if (!done) return std::unexpected(done.error());
  return last;
}

TopOrder order_of(const std::string& word) {
  const auto* const found = std::ranges::find(kTopWords, word);
  return static_cast<TopOrder>(std::distance(std::begin(kTopWords), found));
}

}  // namespace

Outcome<void> flows(Client& client, const Invocation& in) {
  if (in.watch) return watch(client, in);
  FlowRates rates;
  auto table = in.flows.min_rate != 0 ? look_twice(client, rates) : client.flows();
  if (!table) return std::unexpected(table.error());
  keep_wanted(*table, filter_of(in), rates);
  if (in.json) {
    print(flows_json(*table));
    return {};
  }
  if (table->flows_size() > 0) print(flows_text(*table, screen_now()));
  print(flows_summary(*table, *table, 0));
  return {};
}

Outcome<void> close_flows(Client& client, const Invocation& in) {
  pb::CloseFlowsRequest request;
  request.set_all(in.all);
  for (const std::uint64_t id : in.ids) request.add_ids(id);
  const auto reply = client.close_flows(request);
  if (!reply) return std::unexpected(reply.error());
  print(in.json ? closed_json(*reply) : "closed " + counted(reply->closed(), "flow") + "\n");
  return {};
}

Outcome<void> top(Client& client, const Invocation& in) {
  TopView view(filter_of(in), order_of(in.sort));
  if (!in.json) {
    if (auto terminal = RawTerminal::open()) return run_top(client, *terminal, view);
  }
  int looks = 0;
  const auto done = client.watch_flows(kWatchInterval_ms, [&](const pb::FlowTable& table) {
    view.take(table, monotonic_now());
    return ++looks < 2;
  });
  if (!done) return done;
  print(in.json ? flows_json(view.shown()) : view.table(screen_now()));
  return {};
}

}  // namespace sluice::cli
