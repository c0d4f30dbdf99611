// micro/rule_sets - what rule sets cost the control plane: compiling them, and finding the block of
// an earlier compile.
//
//   compile_names   100,000 names, from a text file that nobody has judged to a block with its
//                   digest
//   load_cached     the same configuration again: key, mapping, checksum
//   collections     geosite of 1,500 categories (300,000 names, of which 62,000 are used), an ad
//   list
//                   of 300,000 names, a country of 20,000 prefixes in a geoip.dat, all at once
//
// `peak_MiB` is what the resident memory grew by while compiling, `left_MiB` what of it was still
// there afterwards with the block gone, after the allocator gave back what it could.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "controlplane/compile/compile.h"
#include "controlplane/compile/rules_key.h"
#include "controlplane/compile/set_refs.h"
#include "controlplane/model/load.h"
#include "controlplane/ruleset/block_cache.h"
#include "controlplane/ruleset/set_reader.h"
#include "perf/micro/rule_texts.h"

namespace {

using namespace sluice;
using namespace sluice::perf;

/// A home directory of its own.
class Home {
 public:
  Home() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice.XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string path_;
};

class NoZones final : public compile::ZoneInput {
 public:
  ruleset::Zone zone(std::string_view name) override {
    (void)name;
    return {};
  }
};

/// A configuration, its files, and the ways to a block.
struct Bench {
  Bench(const std::string& text, std::vector<sets::Source> from)
      : config(*model::load_config(text, "bench.yaml").config), sources(std::move(from)) {}

  [[nodiscard]] contract::Digest key(sets::SetReader& reader) const {
    return reader.block_key(compile::rules_key(config), compile::sets_of(config), {});
  }
  [[nodiscard]] contract::BlobPtr make(sets::SetReader& reader) const {
    NoZones zones;
    auto made = compile::compile(config, {reader, zones});
    return made ? made->blobs.front() : nullptr;
  }

  model::Config config;
  std::vector<sets::Source> sources;
};

/// Nothing is too young to be remembered.
std::int64_t later() {
  return wall_ms() + 3'600'000;
}

sets::Source text_list(std::string path) {
  sets::Source out;
  out.kind = sets::SourceKind::http_list;
  out.name = "ads";
  out.path = std::move(path);
  out.format = ruleformats::Format::text;
  return out;
}

std::string names(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += "+." + site(random) + "\n";
  return out;
}

const char* const kAdsProvider =
    "rule-providers:\n"
    "  ads: {type: http, behavior: domain, format: text, url: 'https://lists.test/ads.txt'}\n";

Bench names_bench(const Home& home, std::size_t count) {
  return {std::string(kAdsProvider) + "rules:\n  - RULE-SET,ads,REJECT\n  - MATCH,DIRECT\n",
          {text_list(home.put("ads.txt", names(count, 2)))}};
}

void compile_names(benchmark::State& state) {
  const Home home;
  const Bench bench = names_bench(home, static_cast<std::size_t>(state.range(0)));
  std::size_t size = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove_all(home.path("cache"));
    state.ResumeTiming();
    sets::Shelf shelf(home.path("cache"), later);
    sets::SetReader reader(shelf, bench.sources);
    benchmark::DoNotOptimize(bench.key(reader));
    size = bench.make(reader)->bytes.size();
  }
  state.counters["block_bytes"] = static_cast<double>(size);
}
BENCHMARK(compile_names)->Arg(100'000)->Unit(benchmark::kMillisecond);

void load_cached(benchmark::State& state) {
  const Home home;
  const Bench bench = names_bench(home, static_cast<std::size_t>(state.range(0)));
  {
    sets::Shelf shelf(home.path("cache"), later);
    sets::SetReader reader(shelf, bench.sources);
    sets::BlockCache cache(home.path("cache/blocks"));
    const contract::Digest key = bench.key(reader);
    benchmark::DoNotOptimize(cache.put(key, bench.make(reader), reader.problems()));
  }
  for (auto _ : state) {
    sets::Shelf shelf(home.path("cache"), later);
    sets::SetReader reader(shelf, bench.sources);
    sets::BlockCache cache(home.path("cache/blocks"));
    if (!cache.get(bench.key(reader))) state.SkipWithError("not in the cache");
  }
}
BENCHMARK(load_cached)->Arg(100'000)->Unit(benchmark::kMillisecond);

std::string field(unsigned number, const std::string& content) {
  std::string out(1, static_cast<char>(number << 3U | 2U));
  for (std::size_t size = content.size(); true; size >>= 7U) {
    const bool last = size < 0x80;
    out.push_back(static_cast<char>(last ? size : (size & 0x7fU) | 0x80U));
    if (last) return out + content;
  }
}

std::string geosite() {
  Random random(3);
  std::string out;
  for (int number = 0; number < 1'500; ++number) {
    std::string entry = field(1, "LIST-" + std::to_string(number));
    // The first is of the size of `cn`; the average is 200.
    const int count = number == 0 ? 60'000 : 160;
    for (int i = 0; i < count; ++i) entry += field(2, "\x08\x02" + field(2, site(random)));
    out += field(1, entry);
  }
  return out;
}

std::string geoip() {
  Random random(4);
  std::string out;
  for (int number = 0; number < 250; ++number) {
    std::string entry = field(1, number == 0 ? "CN" : "C" + std::to_string(number));
    for (int i = 0; i < (number == 0 ? 20'000 : 500); ++i) {
      const ByteView base = any_v4(random).bytes();
      entry += field(2, field(1, std::string(as_text(base))) + "\x10" +
                            static_cast<char>(12 + random.below(13)));
    }
    out += field(1, entry);
  }
  return out;
}

/// Of this process, in bytes: a line of /proc/self/status.
std::int64_t status_bytes(const std::string& wanted) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(wanted)) return std::stoll(line.substr(wanted.size())) * 1024;
  return 0;
}

void collections(benchmark::State& state) {
  const Home home;
  std::string rules = kAdsProvider;
  rules += "geodata-mode: true\nrules:\n  - RULE-SET,ads,REJECT\n  - GEOSITE,list-0,DIRECT\n";
  for (int i = 1; i <= 12; ++i) rules += "  - GEOSITE,list-" + std::to_string(i) + ",DIRECT\n";
  rules += "  - GEOIP,CN,DIRECT\n  - MATCH,REJECT\n";
  const Bench bench(
      rules, {text_list(home.put("ads.txt", names(300'000, 2))),
              sets::geo_source(sets::SourceKind::geosite, home.put("geosite.dat", geosite())),
              sets::geo_source(sets::SourceKind::geoip_dat, home.put("geoip.dat", geoip()))});
  sets::Shelf shelf(home.path("cache"), later);
  (void)sets::SetReader(shelf, bench.sources).block_key({}, compile::sets_of(bench.config), {});
  std::int64_t peak = 0;
  std::int64_t left = 0;
  std::size_t size = 0;
  for (auto _ : state) {
    state.PauseTiming();
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    const std::int64_t before = status_bytes("VmRSS:");
    state.ResumeTiming();
    {
      sets::SetReader reader(shelf, bench.sources);
      const contract::BlobPtr blob = bench.make(reader);
      size = blob->bytes.size();
      if (!reader.problems().empty()) state.SkipWithError("a set is not what it should be");
    }
    state.PauseTiming();
    peak = std::max(peak, status_bytes("VmHWM:") - before);
    ::malloc_trim(0);
    left = std::max(left, status_bytes("VmRSS:") - before);
    state.ResumeTiming();
  }
  constexpr double kMiB = 1024.0 * 1024.0;
  state.counters["block_MiB"] = static_cast<double>(size) / kMiB;
  state.counters["peak_MiB"] = static_cast<double>(peak) / kMiB;
  state.counters["left_MiB"] = static_cast<double>(left) / kMiB;
}
BENCHMARK(collections)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
