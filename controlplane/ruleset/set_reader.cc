#include "controlplane/ruleset/set_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controlplane/ruleset/read_geo.h"

namespace sluice::sets {
namespace {

using compile::SetKind;
using compile::SetRef;

bool holds(const Source& source, const SetRef& set) noexcept {
  switch (set.kind) {
    case SetKind::provider:
      return is_list(source.kind) && source.name == set.name;
    case SetKind::geosite:
      return source.kind == SourceKind::geosite;
    case SetKind::geoip:
      return source.kind == SourceKind::geoip_dat || source.kind == SourceKind::country_mmdb;
    case SetKind::asn:
      break;
  }
  return source.kind == SourceKind::asn_mmdb;
}

/// As users write it: "RULE-SET,ads".
std::string in_rule(const SetRef& set) {
  switch (set.kind) {
    case SetKind::provider:
      return "RULE-SET," + set.name;
    case SetKind::geosite:
      return "GEOSITE," + set.name;
    case SetKind::geoip:
      return "GEOIP," + set.name;
    case SetKind::asn:
      break;
  }
  return "IP-ASN," + set.name;
}

/// A text of a key, so that no two lists of texts run into the same bytes.
void add_text(contract::DigestStream& to, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::array<std::byte, 4> raw{};
  Writer out(raw);
  out.u32be(size);
  to.update(raw);
  to.update(as_byte_view(text));
}

}  // namespace

SetReader::SetReader(Shelf& shelf, std::vector<Source> sources) : shelf_(shelf) {
  holdings_.reserve(sources.size());
  for (Source& source : sources) holdings_.push_back({std::move(source), {}, false, false});
}

SetReader::Holding* SetReader::find(const SetRef& set) noexcept {
  const auto found = std::ranges::find_if(
      holdings_, [&](const Holding& holding) { return holds(holding.source, set); });
  return found == holdings_.end() ? nullptr : &*found;
}

void SetReader::look(Holding& holding) {
  if (holding.looked) return;
  holding.content = shelf_.look(holding.source);
  holding.looked = true;
}

contract::Digest SetReader::digest_of(const SetRef& set) {
  Holding* const holding = find(set);
  if (holding != nullptr) look(*holding);
  tell_of_file(set, holding);
  return holding == nullptr ? contract::Digest{} : holding->content.digest;
}

contract::Digest SetReader::block_key(const contract::Digest& rules_key,
                                      std::span<const SetRef> sets, const contract::Digest& zones) {
  contract::DigestStream out;
  add_text(out, SLUICE_VERSION);
  out.update(rules_key);
  out.update(zones);
  bool geo_behind = false;
  for (const SetRef& set : sets) {
    const contract::Digest content = digest_of(set);
    const Holding* const holding = find(set);
    if (holding != nullptr && may_hold_conditions(holding->source)) geo_behind = true;
    const std::array<std::byte, 3> kinds = {
        static_cast<std::byte>(set.kind),
        static_cast<std::byte>(holding == nullptr ? 0xff : static_cast<int>(holding->source.kind)),
        static_cast<std::byte>(holding == nullptr ? 0 : reading_of(holding->source))};
    out.update(kinds);
    add_text(out, set.name);
    out.update(content);
  }
  for (Holding& holding : holdings_) {
    if (!geo_behind || is_list(holding.source.kind)) continue;
    look(holding);
    const auto kind = static_cast<std::byte>(holding.source.kind);
    out.update({&kind, 1});
    out.update(holding.content.digest);
  }
  return out.finish();
}

compile::SetTraits SetReader::read(const SetRef& set, compile::SetEntries& to) {
  Holding* const holding = find(set);
  if (holding != nullptr && is_list(holding->source.kind)) {
    read_list_of(set, *holding, to);
    return {};
  }
  if (holding != nullptr && !holding->loaded) {
    holding->content = shelf_.load(holding->source);
    holding->looked = true;
    holding->loaded = true;
  }
  tell_of_file(set, holding);
  if (holding == nullptr || !holding->content.there()) return {};
  GeoSet read = read_geo(holding->source, set.name, as_byte_view(holding->content.bytes), to);
  if (!read.problem.empty())
    tell(set, in_rule(set) + ": " + holding->source.path + " " + read.problem, true);
  return read.traits;
}

void SetReader::read_list_of(const SetRef& set, Holding& holding, compile::SetEntries& to) {
  Content content = shelf_.load(holding.source);
  const std::string bytes = std::move(content.bytes);
  content.bytes.clear();
  holding.content = std::move(content);
  holding.looked = true;
  tell_of_file(set, &holding);
  if (!holding.content.there()) return;
  const Findings found = read_list(holding.source, as_byte_view(bytes), to);
  if (!found.refusal.empty())
    tell(set, describe(holding.source) + " " + found.refusal, true);
  else
    tell_of_entries(set, holding.source, found);
}

/// The first few by name, the rest by number.
void SetReader::tell_of_entries(const SetRef& set, const Source& source, const Findings& found) {
  const std::string file = source.path.empty() ? "payload" : source.path;
  for (const EntryFault& fault : found.faults) tell(set, "left out: " + to_text(fault, file), true);
  if (found.tally.faults > found.faults.size())
    tell(set, "left out: " + std::to_string(found.tally.faults) + " entries in all", true);
}

void SetReader::release() {
  for (Holding& holding : holdings_) {
    std::string().swap(holding.content.bytes);
    holding.loaded = false;
  }
}

void SetReader::tell_of_file(const SetRef& set, const Holding* holding) {
  if (holding == nullptr) {
    tell(set, in_rule(set) + ": there is no file to read it from; it matches nothing", false);
  } else if (!holding->content.problem.empty()) {
    std::string sentence = in_rule(set) + ": " + holding->content.problem;
    if (!holding->content.there()) sentence += "; it matches nothing until there is";
    tell(set, std::move(sentence), false);
  }
}

void SetReader::tell(const SetRef& set, std::string sentence, bool of_content) {
  SetProblem problem{set, std::move(sentence), of_content};
  if (std::ranges::find(problems_, problem) == problems_.end())
    problems_.push_back(std::move(problem));
}

}  // namespace sluice::sets
