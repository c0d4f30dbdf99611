// micro/rule_files - reading rule files.
//
//   export_prefixes   a binary set of prefixes that do not touch, as a list of prefixes
#include <benchmark/benchmark.h>

#include <vector>

#include "controlplane/ruleformats/mrs.h"
#include "controlplane/ruleformats/rule_file.h"
#include "perf/micro/rule_texts.h"

namespace {

using namespace sluice;
using namespace sluice::perf;
using ruleformats::Behavior;

class NoFaults final : public ruleformats::Faults {
 public:
  void fault(const ruleformats::Fault& fault) override {
    (void)fault;
    std::abort();
  }
};

class Prefixes final : public ruleformats::Entries {
 public:
  void prefix(const Prefix& prefix, const ruleformats::Place& place) override {
    (void)place;
    list.push_back(prefix);
  }
  void name(const ruleformats::NameEntry& entry) override {
    (void)entry;
    std::abort();
  }
  void line(std::string_view rule, const ruleformats::Place& place) override {
    (void)rule, (void)place;
    std::abort();
  }
  void fault(const ruleformats::Fault& fault) override {
    (void)fault;
    std::abort();
  }
  std::vector<Prefix> list;
};

std::vector<std::byte> binary_set(std::uint32_t count) {
  NoFaults faults;
  ruleformats::MrsWriter writer(Behavior::ipcidr, faults);
  // Every other /24: none merges with its neighbour.
  for (std::uint32_t i = 0; i < count; ++i)
    writer.prefix(Prefix::of(IpAddress::v4(0x0a000000U + (i << 9U)), 24), {});
  return *writer.finish();
}

void export_prefixes(benchmark::State& state) {
  const auto file = binary_set(static_cast<std::uint32_t>(state.range(0)));
  std::size_t count = 0;
  for (auto _ : state) {
    Prefixes out;
    if (!read_rule_file(ruleformats::Format::mrs, Behavior::ipcidr, file, {}, out))
      state.SkipWithError("not what was written");
    count = out.list.size();
  }
  state.counters["prefixes"] = static_cast<double>(count);
}
BENCHMARK(export_prefixes)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
