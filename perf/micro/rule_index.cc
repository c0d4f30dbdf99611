// micro/rule_index - the look-ups below a decision, at 100,000 and 1,000,000 entries of one set.
//
//   name/hit|miss            suffixes, against std::unordered_set asked for every suffix
//   short_name               a name of six bytes that is in the set
//   address/hit|miss v4, v6  disjoint prefixes
//   touching/miss            v4 prefixes of which most touch or hold others
//   build, open              compiling a set, and checking its block
//
// Sizes are printed as bytes per entry. `allocs` must be 0.
#include <string_view>
#include <unordered_set>

#include "perf/micro/count_allocations.h"
#include "perf/micro/rule_texts.h"
#include "proto/ruleset/match.h"

namespace {

using namespace sluice;
using namespace sluice::perf;
using ruleset::Condition;
using ruleset::Index;
using ruleset::Resolve;

constexpr std::size_t kAsked = 4096;

struct Compiled {
  std::vector<std::byte> block;
  ruleset::View view;
};

Compiled compile(ruleset::Builder builder) {
  Compiled out;
  out.block = *builder.finish();
  out.view = *ruleset::View::open(out.block);
  return out;
}

std::vector<std::string> names_of(std::size_t count) {
  Random random(2);
  std::vector<std::string> out(count);
  for (std::string& name : out) name = site(random);
  return out;
}

ruleset::Builder name_set(const std::vector<std::string>& names) {
  ruleset::Builder out;
  const ruleset::SetId set = out.add_set();
  for (const std::string& name : names) out.domain_suffix(set, name);
  out.line(Condition::in_set(set, Resolve::no));
  return out;
}

std::vector<std::string> asked_names(const std::vector<std::string>& listed, bool hit) {
  Random random(5);
  std::vector<std::string> out(kAsked);
  for (std::string& name : out)
    name = "www." + (hit ? listed[random.below(static_cast<std::uint32_t>(listed.size()))]
                         : site(random) + ".example");
  return out;
}

void name_lookup(benchmark::State& state, bool hit) {
  const auto listed = names_of(static_cast<std::size_t>(state.range(0)));
  const auto asked = asked_names(listed, hit);
  const Compiled c = compile(name_set(listed));
  state.counters["bytes/name"] =
      static_cast<double>(c.block.size()) / static_cast<double>(listed.size());
  std::size_t at = 0;
  const std::uint64_t before = so_far();
  for (auto _ : state)
    benchmark::DoNotOptimize(c.view.names().next(c.view.names().find(asked[at++ % kAsked]), 0));
  expect_none(state, before);
}
BENCHMARK_CAPTURE(name_lookup, hit, true)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(name_lookup, miss, false)->Arg(100'000)->Arg(1'000'000);

void short_name(benchmark::State& state) {
  auto listed = names_of(static_cast<std::size_t>(state.range(0)));
  std::vector<std::string> asked(kAsked);
  for (std::size_t i = 0; i < kAsked; ++i)
    asked[i] = listed[i * (listed.size() / kAsked)] =
        std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i % 10) + ".com";
  const Compiled c = compile(name_set(listed));
  std::size_t at = 0;
  const std::uint64_t before = so_far();
  for (auto _ : state)
    benchmark::DoNotOptimize(c.view.names().next(c.view.names().find(asked[at++ % kAsked]), 0));
  expect_none(state, before);
}
BENCHMARK(short_name)->Arg(100'000);

void name_hash_set(benchmark::State& state, bool hit) {
  const auto listed = names_of(static_cast<std::size_t>(state.range(0)));
  const auto asked = asked_names(listed, hit);
  const std::unordered_set<std::string_view> set(listed.begin(), listed.end());
  std::size_t at = 0;
  for (auto _ : state) {
    std::string_view rest = asked[at++ % kAsked];
    bool found = set.count(rest) != 0;
    while (!found) {
      const std::size_t dot = rest.find('.');
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
      found = set.count(rest) != 0;
    }
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK_CAPTURE(name_hash_set, hit, true)->Arg(100'000);
BENCHMARK_CAPTURE(name_hash_set, miss, false)->Arg(100'000);

std::vector<Prefix> prefixes_of(std::size_t count, bool v6) {
  Random random(3);
  std::vector<Prefix> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(v6 ? Prefix::of(any_v6(random), 40 + random.below(9))
                     : Prefix::of(any_v4(random), 24 + random.below(9)));
  return out;
}

ruleset::Builder prefix_set(const std::vector<Prefix>& prefixes) {
  ruleset::Builder out;
  const ruleset::SetId set = out.add_set();
  for (const Prefix& prefix : prefixes) out.destination(set, prefix);
  out.line(Condition::in_set(set, Resolve::no));
  return out;
}

template <class Table, class ToKey>
void look_up(benchmark::State& state, const Table& table, ToKey to_key, bool v6, bool hit,
             const std::vector<Prefix>& prefixes) {
  Random random(7);
  std::vector<decltype(to_key(IpAddress{}))> keys;
  while (keys.size() < kAsked) {
    const IpAddress ip =
        hit ? prefixes[random.below(static_cast<std::uint32_t>(prefixes.size()))].base
            : (v6 ? any_v6(random) : any_v4(random));
    const auto key = to_key(ip);
    if ((table.find(key) != ruleset::kNone) == hit) keys.push_back(key);
  }
  std::size_t at = 0;
  const std::uint64_t before = so_far();
  for (auto _ : state) benchmark::DoNotOptimize(table.next(table.find(keys[at++ % kAsked]), 0));
  expect_none(state, before);
}

void address_lookup(benchmark::State& state, bool v6, bool hit) {
  const auto prefixes = prefixes_of(static_cast<std::size_t>(state.range(0)), v6);
  const Compiled c = compile(prefix_set(prefixes));
  state.counters["bytes/prefix"] =
      static_cast<double>(c.block.size()) / static_cast<double>(prefixes.size());
  if (v6)
    look_up(state, c.view.prefixes128(Index::destination_v6), ruleset::v6_key, v6, hit, prefixes);
  else
    look_up(
        state, c.view.prefixes32(Index::destination_v4),
        [](const IpAddress& ip) { return ip.v4_value(); }, v6, hit, prefixes);
}
BENCHMARK_CAPTURE(address_lookup, v4_hit, false, true)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(address_lookup, v4_miss, false, false)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(address_lookup, v6_hit, true, true)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(address_lookup, v6_miss, true, false)->Arg(100'000)->Arg(1'000'000);

/// 25,000 pairs of neighbours, each with two prefixes inside: 100,000 lines, 25,000 ranges.
void touching_miss(benchmark::State& state) {
  Random random(3);
  std::vector<Prefix> prefixes;
  for (std::int64_t i = 0; i < state.range(0) / 4; ++i) {
    const std::uint32_t base = any_v4(random).v4_value() & 0xffff'fe00U;
    for (const std::uint32_t part : {0U, 0x100U}) {
      prefixes.push_back(Prefix::of(IpAddress::v4(base | part), 24));
      prefixes.push_back(Prefix::of(IpAddress::v4(base | part | 0x40U), 26));
    }
  }
  const Compiled c = compile(prefix_set(prefixes));
  look_up(
      state, c.view.prefixes32(Index::destination_v4),
      [](const IpAddress& ip) { return ip.v4_value(); }, false, false, prefixes);
}
BENCHMARK(touching_miss)->Arg(100'000);

void build_names(benchmark::State& state) {
  const auto names = names_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(name_set(names).finish()->size());
}
BENCHMARK(build_names)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void build_prefixes(benchmark::State& state) {
  const auto prefixes = prefixes_of(static_cast<std::size_t>(state.range(0)), false);
  for (auto _ : state) benchmark::DoNotOptimize(prefix_set(prefixes).finish()->size());
}
BENCHMARK(build_prefixes)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// What a reload with so many names costs off the packet path.
void open_names(benchmark::State& state) {
  const auto block = *name_set(names_of(static_cast<std::size_t>(state.range(0)))).finish();
  for (auto _ : state) benchmark::DoNotOptimize(ruleset::View::open(block).has_value());
}
BENCHMARK(open_names)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
