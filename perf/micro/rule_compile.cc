// micro/rule_compile - from a configuration's rules to the block, 100,000 lines or names.
//
//   lines/load      the text of the file to the model          lines/key   its rules_key
//   lines/compile   the model to manifest and block
//   lines/block     the same lines given to the Builder at once: what compile cannot undercut
//   names/compile   one RULE-SET line, its names read from a text file's bytes
#include <benchmark/benchmark.h>

#include <string>

#include "controlplane/compile/compile.h"
#include "controlplane/compile/rules_key.h"
#include "controlplane/model/load.h"
#include "controlplane/ruleformats/rule_file.h"
#include "perf/micro/rule_texts.h"
#include "proto/ruleset/builder.h"

namespace {

using namespace sluice;
using namespace sluice::perf;

constexpr std::size_t kCount = 100'000;

class Names final : public ruleformats::Entries {
 public:
  explicit Names(compile::SetEntries& to) : to_(to) {}
  void name(const ruleformats::NameEntry& entry) override { to_.name(entry); }
  void prefix(const Prefix& prefix, const ruleformats::Place&) override { to_.prefix(prefix); }
  void line(std::string_view, const ruleformats::Place&) override {}
  void fault(const ruleformats::Fault&) override {}

 private:
  compile::SetEntries& to_;
};

/// One set of names, as a text file.
class OneFile final : public compile::SetInput, public compile::ZoneInput {
 public:
  explicit OneFile(std::string text) : text_(std::move(text)) {}

  compile::SetTraits read(const compile::SetRef&, compile::SetEntries& to) override {
    Names names(to);
    (void)ruleformats::read_rule_file(ruleformats::Format::text, ruleformats::Behavior::domain,
                                      as_byte_view(text_), {}, names);
    return {};
  }
  ruleset::Zone zone(std::string_view) override { return {}; }

 private:
  std::string text_;
};

std::string names_text(std::string_view head, std::string_view tail) {
  Random random(2);
  std::string out;
  for (std::size_t i = 0; i < kCount; ++i) out.append(head).append(site(random)).append(tail);
  return out;
}

std::string lines_text() {
  return "rules:\n" + names_text("- DOMAIN-SUFFIX,", ",DIRECT\n");
}

void lines_load(benchmark::State& state) {
  const std::string text = lines_text();
  for (auto _ : state) benchmark::DoNotOptimize(model::load_config(text, "f.yaml").config);
}
BENCHMARK(lines_load)->Name("lines/load")->Unit(benchmark::kMillisecond);

void lines_compile(benchmark::State& state) {
  const auto loaded = model::load_config(lines_text(), "f.yaml");
  OneFile none{{}};
  for (auto _ : state) benchmark::DoNotOptimize(compile::compile(*loaded.config, {none, none}));
}
BENCHMARK(lines_compile)->Name("lines/compile")->Unit(benchmark::kMillisecond);

void lines_block(benchmark::State& state) {
  const auto loaded = model::load_config(lines_text(), "f.yaml");
  for (auto _ : state) {
    ruleset::Builder block;
    for (const model::Rule& rule : loaded.config->rules)
      block.domain_suffix(std::get<std::string>(rule.condition.atom.payload));
    benchmark::DoNotOptimize(block.finish());
  }
}
BENCHMARK(lines_block)->Name("lines/block")->Unit(benchmark::kMillisecond);

void lines_key(benchmark::State& state) {
  const auto loaded = model::load_config(lines_text(), "f.yaml");
  for (auto _ : state) benchmark::DoNotOptimize(compile::rules_key(*loaded.config));
}
BENCHMARK(lines_key)->Name("lines/key")->Unit(benchmark::kMillisecond);

void names_compile(benchmark::State& state) {
  OneFile names(names_text("+.", "\n"));
  const auto loaded = model::load_config(
      "rule-providers: {p: {type: file, behavior: domain, format: text, path: a}}\n"
      "rules: ['RULE-SET,p,DIRECT']\n",
      "f.yaml");
  for (auto _ : state) benchmark::DoNotOptimize(compile::compile(*loaded.config, {names, names}));
}
BENCHMARK(names_compile)->Name("names/compile")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
