#include "controlplane/app/preparer.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "controlplane/app/set_problems.h"
#include "controlplane/compile/rules_key.h"
#include "controlplane/compile/set_refs.h"
#include "controlplane/model/load.h"
#include "controlplane/model/read/words.h"
#include "proto/common/log.h"

namespace sluice::control_plane {
namespace {

model::Diagnostic beyond_bounds(const ruleset::LeftOut& left_out, const std::string& file) {
  model::Diagnostic out;
  out.severity = model::Severity::warning;
  out.file = file;
  out.path = "rules";
  out.problem =
      std::to_string(left_out.count) +
      " entries of rule sets pass the bounds of one block and match nothing, the first is "
      "\"" +
      left_out.first + "\"";
  out.remedy = "use smaller sets, or fewer patterns";
  return out;
}

model::Diagnostic does_not_fit(const std::string& file) {
  model::Diagnostic out;
  out.severity = model::Severity::error;
  out.file = file;
  out.path = "rules";
  out.problem = "do not fit one compiled block";
  out.remedy = "write fewer or shorter lines, or smaller rule providers";
  return out;
}

/// They stay true for as long as the block does, and are kept beside it.
std::vector<sets::SetProblem> as_problems(const std::vector<compile::SlowPattern>& slow) {
  std::vector<sets::SetProblem> out;
  for (const compile::SlowPattern& found : slow)
    out.push_back({found.set,
                   "RULE-SET," + found.set.name + ": the entry " + model::quote(found.pattern) +
                       " runs on PCRE2, which goes back and tries again; it may take many times "
                       "as long as what RE2 can express",
                   true});
  return out;
}

compile::SetKind kind_of(sets::SourceKind kind) noexcept {
  switch (kind) {
    case sets::SourceKind::geosite:
      return compile::SetKind::geosite;
    case sets::SourceKind::geoip_dat:
    case sets::SourceKind::country_mmdb:
      return compile::SetKind::geoip;
    case sets::SourceKind::asn_mmdb:
      return compile::SetKind::asn;
    default:
      return compile::SetKind::provider;
  }
}

/// What of `sources` this configuration needs. A geo file counts when a rule names it, or when a
/// line of a classical list did and there was none.
std::vector<RunningSet> needed(const std::vector<SetSource>& sources, sets::SetReader& reader,
                               const std::vector<compile::SetRef>& named,
                               const std::vector<sets::SetProblem>& problems) {
  std::vector<RunningSet> out;
  for (const SetSource& source : sources) {
    const compile::SetKind kind = kind_of(source.content.kind);
    if (kind == compile::SetKind::provider) {
      out.push_back({source, reader.digest_of({kind, source.content.name})});
      continue;
    }
    const auto one = std::ranges::find(named, kind, &compile::SetRef::kind);
    const auto missed = std::ranges::find(problems, kind, [](const auto& p) { return p.set.kind; });
    if (one != named.end())
      out.push_back({source, reader.digest_of(*one)});
    else if (missed != problems.end())
      out.push_back({source, reader.digest_of(missed->set)});
  }
  return out;
}

}  // namespace

Preparer::Preparer(FilePlaces places, sets::CacheUse use)
    : places_(std::move(places)),
      use_(use),
      shelf_(places_.rules.home + "/cache", wall_ms, use),
      blocks_(places_.rules.home + "/cache/blocks") {}

Result<Preparer::Compiled> Preparer::compile_or_find(const model::Config& config,
                                                     sets::SetReader& reader, RuleZones& zones) {
  const std::vector<compile::SetRef> named = compile::sets_of(config);
  const contract::Digest rules = compile::rules_key(config);
  const bool cached = use_ == sets::CacheUse::read_write;
  if (cached) {
    if (auto found = blocks_.get(reader.block_key(rules, named, zones.digest()))) {
      Compiled out{compile::compile_around(config, std::move(found->blob)),
                   std::move(found->problems)};
      out.problems.insert(out.problems.end(), reader.problems().begin(), reader.problems().end());
      return out;
    }
  }
  auto result = compile::compile(config, {reader, zones});
  reader.release();
  if (!result) return fail(result.error());
  Compiled out{std::move(*result), reader.problems()};
  const auto slow = as_problems(out.result.slow_patterns);
  out.problems.insert(out.problems.end(), slow.begin(), slow.end());
  const auto nested_and_missing = [&](const sets::SetProblem& p) {
    return !p.of_content && p.set.kind != compile::SetKind::provider &&
           std::ranges::find(named, p.set) == named.end();
  };
  if (cached && zones.covered() && std::ranges::none_of(out.problems, nested_and_missing) &&
      out.result.left_out.count == 0 && !out.result.blobs.empty()) {
    const contract::Digest key = reader.block_key(rules, named, zones.digest());
    out.result.blobs.front() = blocks_.put(key, std::move(out.result.blobs.front()), out.problems);
  }
  return out;
}

Prepared Preparer::prepare(std::string text, const std::string& file) {
  Prepared out;
  out.text = std::move(text);
  model::LoadResult loaded = model::load_config(out.text, file);
  out.diagnostics = std::move(loaded.diagnostics);
  if (!loaded.config) return out;
  const auto add = [&out](const std::vector<model::Diagnostic>& found) {
    out.diagnostics.insert(out.diagnostics.end(), found.begin(), found.end());
  };
  SetSources sources = set_sources(*loaded.config, file, places_);
  if (!sources.problems.empty()) {
    add(sources.problems);
    return out;
  }
  std::vector<sets::Source> contents;
  for (const SetSource& source : sources.all) contents.push_back(source.content);
  sets::SetReader reader(shelf_, std::move(contents));
  RuleZones zones(*loaded.config, file);
  auto compiled = compile_or_find(*loaded.config, reader, zones);
  add(zones.problems());
  if (!compiled) {
    out.diagnostics.push_back(does_not_fit(file));
    return out;
  }
  if (compiled->result.left_out.count != 0)
    out.diagnostics.push_back(beyond_bounds(compiled->result.left_out, file));
  add(to_diagnostics(compiled->problems, *loaded.config, file));
  complain();
  if (!model::has_errors(out.diagnostics)) {
    auto running = make_running(*loaded.config, std::move(compiled->result), file);
    running->sets =
        needed(sources.all, reader, compile::sets_of(*loaded.config), compiled->problems);
    out.running = std::move(running);
  }
  loaded.config.reset();
  ::malloc_trim(0);  // a compile takes some times what its block keeps
  return out;
}

void Preparer::keep_only(const std::vector<RunningSet>& running) {
  std::vector<sets::Source> contents;
  for (const RunningSet& set : running) contents.push_back(set.source.content);
  shelf_.keep_only(contents);
}

void Preparer::complain() {
  for (auto complaint : {shelf_.take_complaint(), blocks_.take_complaint()})
    if (complaint) SLUICE_LOG(warning, "config", "%s", complaint->c_str());
}

}  // namespace sluice::control_plane
