// micro/rule_match - what one decision costs (design section 7).
//
//   decision/N   N lines: 60 % names, 20 % prefixes (no-resolve), 5 % each keywords, regexes,
//                sources and logic; of them 20 use rule sets of 1,000 names or prefixes; then
//                MATCH. Flows: 70 % by name, 30 % by address; a quarter aims at a line of the list.
//   default_rule the same flows, and MATCH alone
//   walk/N       the same lists and flows, every line tested in turn until one holds
//   snapshot/N   building the snapshot of such a list: validation and patterns
//
// Flows cycle through 4,096 prepared ones, so neither the branch predictor nor the first-level
// cache knows the next; each has been decided once before, so that RE2 has seen it. `allocs` must
// be 0.
#include <algorithm>
#include <memory>

#include "dataplane/route/matcher.h"
#include "perf/micro/count_allocations.h"
#include "perf/micro/rule_texts.h"

namespace {

using namespace sluice;
using namespace sluice::perf;
using ruleset::Condition;
using ruleset::Op;
using ruleset::Resolve;

constexpr std::size_t kFlows = 4096;
constexpr unsigned kWorkers = 2;  // of a snapshot
constexpr std::uint32_t kSets = 20;
constexpr std::uint32_t kSetEntries = 1'000;

struct List {
  std::vector<Condition> lines;
  std::vector<std::vector<Condition>> sets;
};

Condition prefix_of_mix(Random& random, bool v6) {
  return Condition::destination(v6 ? Prefix::of(any_v6(random), 32 + random.below(17))
                                   : Prefix::of(any_v4(random), 16 + random.below(9)),
                                Resolve::no);
}

/// Twenty slots: 12 names, 4 prefixes, one each of the others.
Condition line_of_mix(Random& random, std::uint32_t slot) {
  if (slot < 9) return Condition::domain_suffix(site(random));
  if (slot < 12) return Condition::domain("www." + site(random));
  if (slot < 16) return prefix_of_mix(random, slot == 15);
  switch (slot) {
    case 16:
      return Condition::domain_keyword(word(random, 5, 9));
    case 17:
      return Condition::source(Prefix::of(any_v4(random), 24));
    case 18:
      return Condition::domain_regex("^" + word(random, 3, 5) + "[0-9]+\\." + word(random, 5, 9) +
                                     "\\.(com|net)$");
    default:
      break;
  }
  const auto port = static_cast<std::uint16_t>(1024 + random.below(60'000));
  const ruleset::PortRange range[] = {{port, static_cast<std::uint16_t>(port + 3)}};
  if (random.one_in(2))
    return Condition::all({Condition::domain_suffix(site(random)),
                           Condition::negate(Condition::destination_ports(range))});
  return Condition::all(
      {Condition::network(Network::udp), Condition::domain_keyword(word(random, 5, 9))});
}

List list_of_mix(std::uint32_t count) {
  Random random(1);
  List out;
  for (std::uint32_t i = 0; i < count; ++i) out.lines.push_back(line_of_mix(random, i % 20));
  // Sets stand evenly spread, half of them names, half prefixes.
  for (std::uint32_t i = 0; i < kSets; ++i) {
    out.sets.emplace_back();
    for (std::uint32_t k = 0; k < kSetEntries; ++k)
      out.sets.back().push_back(i % 2 == 0 ? Condition::domain_suffix(site(random))
                                           : prefix_of_mix(random, k % 4 == 0));
    out.lines[static_cast<std::size_t>(i) * count / kSets + i % 2] =
        Condition::in_set({i}, Resolve::no);
  }
  return out;
}

struct Flows {
  std::vector<Destination> to;
  std::vector<route::FlowFacts> facts;
};

Flows flows_for(const List& list) {
  Random random(2);
  Flows out;
  out.to.resize(kFlows);
  out.facts.resize(kFlows);
  for (std::size_t i = 0; i < kFlows; ++i) {
    Destination& to = out.to[i];
    to.port = 443;
    const bool by_name = i % 10 < 7;
    const bool aims = i % 4 == 0;
    const Condition& line = list.lines[random.below(static_cast<std::uint32_t>(list.lines.size()))];
    if (by_name && aims && line.op == Op::domain_suffix)
      to.name = "cdn." + line.text;
    else if (by_name && aims && line.op == Op::domain)
      to.name = line.text;
    else if (by_name)
      to.name = word(random, 2, 5) + "." + site(random);
    else if (aims && line.op == Op::destination)
      to.ip = line.address;
    else
      to.ip = i % 3 == 0 ? any_v6(random) : any_v4(random);
    out.facts[i].destination = &to;
    out.facts[i].source = {IpAddress::v4(0xc0a80100U + random.below(200)), 40'000};
  }
  return out;
}

struct Applied {
  contract::Manifest manifest;
  contract::BlobPtr blob;
};

Applied apply(const List& list) {
  Applied out;
  contract::Manifest& m = out.manifest;
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
  ruleset::Builder builder;
  for (const auto& set : list.sets) {
    const ruleset::SetId id = builder.add_set();
    for (const Condition& entry : set) builder.add(id, entry);
  }
  for (const Condition& line : list.lines) builder.line(line);
  builder.always();
  m.rules.assign(list.lines.size() + 1, {"Line", "", 2});
  out.blob = contract::make_blob(*builder.finish());
  m.ruleset = out.blob->digest;
  return out;
}

std::unique_ptr<const route::Snapshot> snapshot_of(const Applied& applied) {
  auto built = route::build_snapshot(applied.manifest, {{applied.blob->digest, applied.blob}}, 1,
                                     nullptr, kWorkers);
  if (!built) std::abort();
  return std::move(*built);
}

std::uint64_t decide(const route::Snapshot& snapshot, const route::FlowFacts& facts) {
  route::Matcher matcher(snapshot, facts);
  if (matcher.run() != route::Matcher::Ask::decided) std::abort();
  return static_cast<std::uint64_t>(matcher.route().rule_index);
}

void decide_all(benchmark::State& state, const List& list, const Flows& flows) {
  const Applied applied = apply(list);
  const auto snapshot = snapshot_of(applied);
  state.counters["block_bytes"] = static_cast<double>(applied.blob->bytes.size());
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < kFlows; ++i) taken += decide(*snapshot, flows.facts[i]);
  state.counters["mean_line"] = static_cast<double>(taken) / kFlows;
  std::size_t at = 0;
  const std::uint64_t before = so_far();
  for (auto _ : state) taken += decide(*snapshot, flows.facts[at++ % kFlows]);
  benchmark::DoNotOptimize(taken);
  expect_none(state, before);
}

void decision(benchmark::State& state) {
  const List list = list_of_mix(static_cast<std::uint32_t>(state.range(0)));
  decide_all(state, list, flows_for(list));
}
BENCHMARK(decision)->Arg(100)->Arg(1'000)->Arg(10'000);

void default_rule(benchmark::State& state) {
  decide_all(state, {}, flows_for(list_of_mix(100)));
}
BENCHMARK(default_rule);

/// Workers that decide at once, all flows by one line: what they write must not travel between
/// them.
void decision_at_once(benchmark::State& state) {
  static std::unique_ptr<const route::Snapshot> snapshot;
  if (state.thread_index() == 0) snapshot = snapshot_of(apply(List{}));
  const Destination to = *Destination::from_host("page.test", 443);
  route::FlowFacts facts;
  facts.destination = &to;
  facts.worker = static_cast<unsigned>(state.thread_index());
  for (auto _ : state) benchmark::DoNotOptimize(decide(*snapshot, facts));
}
BENCHMARK(decision_at_once)->ThreadRange(1, kWorkers)->UseRealTime();

/// One condition as a program without indexes would test it; regexes by their own RE2.
class Walk {
 public:
  explicit Walk(const List& list) : list_(list) {}

  std::size_t first(const route::FlowFacts& facts) const {
    std::size_t at = 0;
    while (at < list_.lines.size() && !holds(list_.lines[at], facts)) ++at;
    return at;
  }

 private:
  bool holds(const Condition& c, const route::FlowFacts& f) const {
    const std::string& name = f.destination->name;
    switch (c.op) {
      case Op::all:
        return std::ranges::all_of(c.children, [&](const Condition& k) { return holds(k, f); });
      case Op::negate:
        return !holds(c.children.front(), f);
      case Op::domain:
        return name == c.text;
      case Op::domain_suffix:
        return name.ends_with(c.text) &&
               (name.size() == c.text.size() || name[name.size() - c.text.size() - 1] == '.');
      case Op::domain_keyword:
        return name.find(c.text) != std::string::npos;
      case Op::destination:
        return f.destination->ip.valid() && Prefix{c.address, c.length}.contains(f.destination->ip);
      case Op::source:
        return Prefix{c.address, c.length}.contains(f.source.ip);
      case Op::destination_port:
        return c.first <= f.destination->port && f.destination->port <= c.last;
      case Op::network:
        return c.first == static_cast<std::uint32_t>(f.network);
      case Op::set:
        return std::ranges::any_of(list_.sets[c.first],
                                   [&](const Condition& k) { return holds(k, f); });
      default:
        return false;  // regexes: free of charge here, in favour of the walk
    }
  }
  const List& list_;
};

void walk(benchmark::State& state) {
  const List list = list_of_mix(static_cast<std::uint32_t>(state.range(0)));
  const Flows flows = flows_for(list);
  const Walk plain(list);
  std::size_t at = 0;
  for (auto _ : state) benchmark::DoNotOptimize(plain.first(flows.facts[at++ % kFlows]));
}
BENCHMARK(walk)->Arg(100)->Arg(10'000);

void snapshot(benchmark::State& state) {
  const Applied applied = apply(list_of_mix(static_cast<std::uint32_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(snapshot_of(applied));
}
BENCHMARK(snapshot)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
