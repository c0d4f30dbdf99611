// micro/flow_life - what a flow costs besides its system calls.
//
//   life/tcp          a flow is entered, decided, moves bytes and ends; its key was seen before
//   life/new_host     the same, each to another of 4,096 hosts: rows of counters are made and
//   reused life/watched      as life/tcp while somebody watches: its last state is kept
//   counter_update    the relay counts what it moved
//   datagram          the NAT counts a datagram
//   disabled_log      a line of a level that is off, with arguments to format
//   deadline_refresh  a flow's silence starts anew: one stamp, no timer is armed again
//
// Once a thousand lives what was counted leaves, as it does each second. `allocs` of life/tcp must
// be 0; new_host makes rows, for a thousand keys a second are more than are kept, and watched
// copies.
#include <array>

#include "dataplane/flow/flow_table.h"
#include "perf/micro/count_allocations.h"
#include "proto/common/log.h"
#include "proto/runtime/loop/loop.h"

namespace {

using namespace sluice;
using perf::so_far;

constexpr std::size_t kHosts = 4'096;

contract::FlowInfo asked(std::size_t host) {
  contract::FlowInfo out;
  out.source = {IpAddress::v4(0xc0a80114), 40'000};
  out.inbound_name = "mixed";
  out.destination = {"www-" + std::to_string(host) + ".a-usual-name.example.test", {}, 443};
  return out;
}

/// What describe_route() writes, without the look-up.
void decide(contract::FlowInfo& info) {
  info.rule_index = 17;
  info.rule = "DomainSuffix";
  info.rule_payload = "a-usual-name.example.test";
  info.chains.resize(2);
  info.chains[0] = "Hong Kong 03, premium";
  info.chains[1] = "Proxy";
}

void live(flow::FlowTable& table, const contract::FlowInfo& like) {
  flow::Flow flow(table, like);
  decide(flow.undecided());
  flow.set_state(contract::FlowState::open);
  flow.meter.upload += 500;
  flow.meter.download += 4'000;
  flow.close_because({contract::CloseReason::upstream_closed, "ended"});
}

void lives(benchmark::State& state, std::size_t hosts, bool watched) {
  flow::FlowTable table(0, 1);
  table.watch(watched);
  std::vector<contract::FlowInfo> flows;
  for (std::size_t i = 0; i < hosts; ++i) flows.push_back(asked(i));
  for (int round = 0; round < 2; ++round)
    for (const contract::FlowInfo& one : flows) live(table, one);
  (void)table.take_deltas();
  std::size_t at = 0;
  std::uint64_t spent = 0;
  for (auto _ : state) {
    const std::uint64_t before = so_far();
    live(table, flows[at++ % hosts]);
    spent += so_far() - before;
    if (at % 1000 == 0) {
      state.PauseTiming();
      (void)table.take_deltas();
      (void)table.take_closed();
      state.ResumeTiming();
    }
  }
  state.counters["allocs"] = static_cast<double>(spent) / static_cast<double>(state.iterations());
}

void life_tcp(benchmark::State& state) {
  lives(state, 1, false);
}
void life_new_host(benchmark::State& state) {
  lives(state, kHosts, false);
}
void life_watched(benchmark::State& state) {
  lives(state, 1, true);
}
BENCHMARK(life_tcp)->Name("life/tcp");
BENCHMARK(life_new_host)->Name("life/new_host");
BENCHMARK(life_watched)->Name("life/watched");

void counter_update(benchmark::State& state) {
  flow::FlowTable table(0, 1);
  flow::Flow flow(table, asked(0));
  std::uint64_t* counter = &flow.meter.upload;
  benchmark::DoNotOptimize(counter);
  for (auto _ : state) {
    *counter += 1400;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(counter_update);

void datagram(benchmark::State& state) {
  flow::FlowTable table(0, 1);
  flow::Flow flow(table, asked(0));
  flow::Meter* meter = &flow.meter;
  benchmark::DoNotOptimize(meter);
  for (auto _ : state) {
    meter->sent(1200);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(datagram);

void disabled_log(benchmark::State& state) {
  set_log_level(LogLevel::info);
  std::uint64_t id = 0;
  for (auto _ : state) {
    ++id;
    SLUICE_LOG(debug, "flow", "id=%llu %s", static_cast<unsigned long long>(id),
               std::to_string(id).c_str());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(disabled_log);

void deadline_refresh(benchmark::State& state) {
  const auto loop = std::move(*Loop::make());
  Moment last{};
  benchmark::DoNotOptimize(&last);
  for (auto _ : state) {
    last = loop->now();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(deadline_refresh);

}  // namespace

BENCHMARK_MAIN();
