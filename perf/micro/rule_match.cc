// micro/rule_match - what one decision costs, and the two look-ups below it (design section 7).
//
//   decision/N     N lines: 60 % names, 20 % prefixes (no-resolve), 5 % keywords, 5 % sources and,
//                  in place of the regex and logic lines that are not built, 10 % ports; then
//                  MATCH. Flows: 70 % by name, 30 % by address; a quarter aims at a line of the
//                  list.
//   name/hit|miss  100,000 suffixes
//   address/...    100,000 prefixes, v4 and v6
//
// Flows cycle through 4,096 prepared ones, so neither the branch predictor nor the first-level
// cache knows the next. `allocs` is counted by replacing operator new in this program: it must be
// 0.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "dataplane/route/matcher.h"
#include "tests/support/rule_lines.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

// Not inlined: GCC would take free() for the wrong partner of operator new.
__attribute__((noinline)) void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* block) noexcept {
  std::free(block);
}
__attribute__((noinline)) void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace {

using namespace sluice;
using test::Line;
using test::Random;

constexpr std::size_t kFlows = 4096;
constexpr std::uint32_t kLarge = 100'000;

std::string word(Random& random, std::uint32_t least, std::uint32_t most) {
  std::string out;
  for (std::uint32_t i = least + random.below(most - least + 1); i > 0; --i)
    out += static_cast<char>('a' + random.below(26));
  return out;
}

std::string site(Random& random) {
  static const char* const tops[] = {"com", "net", "org", "test", "co.example", "io"};
  return word(random, 4, 12) + "." + tops[random.below(6)];
}

IpAddress any_v4(Random& random) {
  return IpAddress::v4(static_cast<std::uint32_t>(random.next()));
}

/// Below 2000::/3, as addresses in use are; the first 32 bits from few registries' blocks.
IpAddress any_v6(Random& random) {
  static const std::uint16_t blocks[] = {0x2001, 0x2400, 0x2600, 0x2a00,
                                         0x2a02, 0x240e, 0x2804, 0x2c0f};
  std::array<std::byte, 16> raw{};
  Writer out(raw);
  out.u16be(blocks[random.below(8)]);
  out.u32be(static_cast<std::uint32_t>(random.next()));
  out.u64be(random.next());
  return IpAddress::from_bytes(raw);
}

Line line_of_mix(Random& random, std::uint32_t i) {
  Line line;
  const std::uint32_t slot = i % 20;
  if (slot < 12) {
    line.kind = slot < 9 ? Line::Kind::suffix : Line::Kind::domain;
    line.text = slot < 9 ? site(random) : "www." + site(random);
  } else if (slot < 16) {
    line.kind = Line::Kind::destination;
    line.prefix = slot == 15 ? Prefix::of(any_v6(random), 32 + random.below(17))
                             : Prefix::of(any_v4(random), 16 + random.below(9));
  } else if (slot == 16) {
    line.kind = Line::Kind::keyword;
    line.text = word(random, 5, 9);
  } else if (slot == 17) {
    line.kind = Line::Kind::source;
    line.prefix = Prefix::of(any_v4(random), 24);
  } else {
    line.kind = Line::Kind::destination_port;
    const auto port = static_cast<std::uint16_t>(1024 + random.below(60'000));
    line.ports = {{port, static_cast<std::uint16_t>(port + random.below(4))}};
  }
  return line;
}

struct Flows {
  std::vector<Destination> to;
  std::vector<route::FlowFacts> facts;
};

Flows flows_for(const std::vector<Line>& lines, Random& random) {
  Flows out;
  out.to.resize(kFlows);
  out.facts.resize(kFlows);
  for (std::size_t i = 0; i < kFlows; ++i) {
    Destination& to = out.to[i];
    to.port = 443;
    const bool by_name = i % 10 < 7;
    // A quarter takes its target from a line of its own kind, the others hit by chance.
    const Line& line = lines[random.below(static_cast<std::uint32_t>(lines.size()))];
    const bool aims = i % 4 == 0;
    if (by_name && aims && !line.text.empty() && line.kind != Line::Kind::keyword)
      to.name = line.kind == Line::Kind::suffix ? "cdn." + line.text : line.text;
    else if (by_name)
      to.name = word(random, 2, 5) + "." + site(random);
    else if (aims && line.kind == Line::Kind::destination)
      to.ip = line.prefix.base;
    else
      to.ip = i % 3 == 0 ? any_v6(random) : any_v4(random);
    out.facts[i].destination = &to;
    out.facts[i].source = {IpAddress::v4(0xc0a80100U + random.below(200)), 40'000};
  }
  return out;
}

std::unique_ptr<const route::Snapshot> snapshot_of(const std::vector<Line>& lines) {
  contract::Manifest m;
  const auto add = [&m](const char* name, contract::OutboundKind kind) {
    m.outbounds.push_back({.name = name, .type_name = name, .kind = kind});
  };
  add("DIRECT", contract::OutboundKind::direct);
  add("REJECT", contract::OutboundKind::reject);
  add("Proxy", contract::OutboundKind::select);
  m.outbounds[2].members = {0, 1};
  m.reject = 1;
  m.global = 2;
  for (Millis* span : {&m.limits.tcp_idle, &m.limits.tcp_half_closed, &m.limits.udp_idle,
                       &m.limits.handshake, &m.limits.connect})
    *span = {1000};
  m.rules.assign(lines.size(), {"Line", "", 2});
  const contract::BlobPtr blob = contract::make_blob(test::compile(lines));
  m.ruleset = blob->digest;
  auto built = route::build_snapshot(m, {{blob->digest, blob}}, 1, nullptr);
  if (!built) std::abort();
  return std::move(*built);
}

void report_allocations(benchmark::State& state, std::uint64_t before) {
  const std::uint64_t count = allocations.load(std::memory_order_relaxed) - before;
  state.counters["allocs"] = static_cast<double>(count) / static_cast<double>(state.iterations());
  if (count != 0) state.SkipWithError("a decision allocated");
}

void decision(benchmark::State& state) {
  Random random(1);
  std::vector<Line> lines(static_cast<std::size_t>(state.range(0)));
  for (std::uint32_t i = 0; i < lines.size(); ++i) lines[i] = line_of_mix(random, i);
  const Flows flows = flows_for(lines, random);
  lines.push_back({});
  lines.back().kind = Line::Kind::always;
  const auto snapshot = snapshot_of(lines);
  std::size_t at = 0;
  std::uint64_t taken = 0;
  const std::uint64_t before = allocations.load(std::memory_order_relaxed);
  for (auto _ : state) {
    route::Matcher matcher(*snapshot, flows.facts[at++ % kFlows]);
    if (matcher.run() != route::Matcher::Ask::decided) std::abort();
    taken += static_cast<std::uint64_t>(matcher.route().rule_index);
  }
  benchmark::DoNotOptimize(taken);
  report_allocations(state, before);
}
BENCHMARK(decision)->Arg(100)->Arg(10'000);

void name_lookup(benchmark::State& state, bool hit) {
  Random random(2);
  ruleset::Builder builder;
  std::vector<std::string> listed(kLarge);
  for (std::string& name : listed) builder.domain_suffix(name = site(random));
  const auto block = *builder.finish();
  const ruleset::View view = *ruleset::View::open(block);
  std::vector<std::string> asked(kFlows);
  for (std::string& name : asked)
    name = "www." + (hit ? listed[random.below(kLarge)] : site(random) + ".example");
  state.counters["bytes/name"] = static_cast<double>(block.size()) / kLarge;
  std::size_t at = 0;
  const std::uint64_t before = allocations.load(std::memory_order_relaxed);
  for (auto _ : state)
    benchmark::DoNotOptimize(view.names().next(view.names().find(asked[at++ % kFlows]), 0));
  report_allocations(state, before);
}
BENCHMARK_CAPTURE(name_lookup, hit, true);
BENCHMARK_CAPTURE(name_lookup, miss, false);

/// Keys that lie in none of 100,000 prefixes.
template <class Key, class Make, class ToKey>
void address_miss(benchmark::State& state, unsigned length, Make make, ToKey to_key,
                  ruleset::Index index) {
  Random random(3);
  ruleset::Builder builder;
  for (std::uint32_t i = 0; i < kLarge; ++i)
    builder.source(Prefix::of(make(random), length + random.below(9)));
  const auto block = *builder.finish();
  const ruleset::View view = *ruleset::View::open(block);
  const auto& table = [&]() -> const ruleset::PrefixIndex<Key>& {
    if constexpr (sizeof(Key) == 4)
      return view.prefixes32(index);
    else
      return view.prefixes128(index);
  }();
  std::vector<Key> keys;
  while (keys.size() < kFlows) {
    const Key key = to_key(make(random));
    if (table.find(key) == ruleset::kNone) keys.push_back(key);
  }
  std::size_t at = 0;
  const std::uint64_t before = allocations.load(std::memory_order_relaxed);
  for (auto _ : state) benchmark::DoNotOptimize(table.find(keys[at++ % kFlows]));
  report_allocations(state, before);
}

void address_miss_v4(benchmark::State& state) {
  address_miss<std::uint32_t>(
      state, 24, any_v4, [](const IpAddress& ip) { return ip.v4_value(); },
      ruleset::Index::source_v4);
}
BENCHMARK(address_miss_v4);

void address_miss_v6(benchmark::State& state) {
  address_miss<ruleset::Key128>(state, 40, any_v6, ruleset::v6_key, ruleset::Index::source_v6);
}
BENCHMARK(address_miss_v6);

/// Validation of a received block: what a reload with 100,000 rules costs off the packet path.
void open_block(benchmark::State& state) {
  Random random(4);
  ruleset::Builder builder;
  for (std::uint32_t i = 0; i < kLarge; ++i) builder.domain_suffix(site(random));
  const auto block = *builder.finish();
  for (auto _ : state) benchmark::DoNotOptimize(ruleset::View::open(block).has_value());
}
BENCHMARK(open_block)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
