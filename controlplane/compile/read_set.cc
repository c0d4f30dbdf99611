#include "controlplane/compile/read_set.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "controlplane/compile/atoms.h"
#include "controlplane/compile/condition_tree.h"
#include "controlplane/compile/set_refs.h"
#include "controlplane/model/read/words.h"
#include "controlplane/ruleformats/classical.h"
#include "proto/ruleset/patterns.h"

namespace sluice::compile {
namespace {

using ruleformats::NameEntry;
using ruleformats::NameKind;
using ruleset::Condition;

bool is_ascii(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Names whose labels are written as `*`, each for one label.
Condition make_labels(NameKind kind, std::string_view text) {
  if (kind == NameKind::exact) return Condition::domain_labels(text);
  const bool one_in_front = text.starts_with("*.") && text.find('*', 2) == std::string_view::npos;
  if (kind == NameKind::suffix && one_in_front) return Condition::domain_below(text.substr(2));
  const std::string rule = ruleformats::classical_rule(kind, true, text);
  return Condition::domain_regex(std::string_view(rule).substr(rule.find(',') + 1));
}

class SetReader final : public SetEntries {
 public:
  SetReader(SetKind kind, Zones& zones, ruleset::Builder& block, Owners owners,
            LoadedSet& out) noexcept
      : kind_(kind), zones_(zones), block_(block), owners_(owners), out_(out) {}

  void name(const NameEntry& entry) override {
    const ruleset::SetId set = set_of_weight(entry.weight);
    if (entry.kind == NameKind::regex) {
      const auto engine = ruleset::check_pattern(entry.text);
      if (!engine) return;
      if (*engine == ruleset::Engine::backtracking) note_slow(entry.text);
      block_.add(set, Condition::domain_regex(entry.text));
      return;
    }
    if (is_ascii(entry.text)) {
      add(set, entry.kind, entry.wild, entry.text);
      return;
    }
    const auto ascii = to_ascii(entry);
    if (ascii) add(set, entry.kind, entry.wild, *ascii);
  }

  void prefix(const Prefix& prefix) override {
    block_.destination(set_of_weight(ruleformats::Weight::listed), prefix);
  }

  void condition(const model::Condition& condition) override {
    for_each_atom(condition, [this](const model::Atom& atom) {
      const auto* regex = std::get_if<model::Regex>(&atom.payload);
      if (regex != nullptr && regex->engine == model::RegexEngine::pcre2) note_slow(regex->pattern);
    });
    if (names_a_set(condition)) {
      if (kind_ == SetKind::provider) out_.outside.push_back(condition);
      return;
    }
    block_.add(set_of_weight(ruleformats::Weight::listed),
               make_tree(condition, [this](const model::Atom& atom) {
                 return make_atom(atom, zones_, owners_);
               }));
  }

 private:
  void note_slow(std::string_view pattern) {
    if (kind_ == SetKind::provider && out_.slow_pattern.empty()) out_.slow_pattern = pattern;
  }

  static Result<std::string> to_ascii(const NameEntry& entry) {
    if (entry.kind == NameKind::glob) return model::to_ascii_glob(entry.text);
    if (entry.wild) return model::to_ascii_pattern(entry.text);
    return model::to_ascii_name(entry.text);
  }

  void add(ruleset::SetId set, NameKind kind, bool wild, std::string_view text) {
    if (wild) {
      block_.add(set, make_labels(kind, text));
    } else if (kind == NameKind::exact) {
      block_.domain(set, text);
    } else if (kind == NameKind::suffix) {
      block_.domain_suffix(set, text);
    } else if (kind == NameKind::below) {
      block_.add(set, Condition::domain_below(text));
    } else if (kind == NameKind::glob) {
      block_.add(set, Condition::domain_wildcard(text));
    } else {
      block_.add(set, Condition::domain_keyword(text));
    }
  }

  ruleset::SetId set_of_weight(ruleformats::Weight weight) {
    auto& set = out_.weights[static_cast<std::size_t>(weight)];
    if (!set) set = block_.add_set();
    return *set;
  }

  SetKind kind_;
  Zones& zones_;
  ruleset::Builder& block_;
  Owners owners_;
  LoadedSet& out_;
};

}  // namespace

LoadedSet read_set(const SetRef& set, SetInput& input, Zones& zones, ruleset::Builder& block,
                   Owners owners) {
  LoadedSet out;
  SetReader reader(set.kind, zones, block, owners, out);
  out.inverse = input.read(set, reader).inverse;
  return out;
}

}  // namespace sluice::compile
