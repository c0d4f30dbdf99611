#include "controlplane/ruleformats/headless_emit.h"

#include <algorithm>
#include <optional>
#include <string>

#include "controlplane/ruleformats/headless_line.h"

namespace sluice::ruleformats {
namespace {

/// Names and prefixes, straight to the feed.
class FeedTerms final : public HeadlessTerms {
 public:
  FeedTerms(Feed& feed, const Place& place, Weight weight)
      : feed_(feed), place_(place), weight_(weight) {}

  void name(NameKind kind, std::string_view text) override {
    if (kind <= NameKind::below) {
      feed_.name(kind, text, place_, NameText::Wildcards::refused, weight_);
    } else {
      feed_.pattern(kind, text, place_, weight_);
    }
  }
  void prefix(const Prefix& prefix) override { feed_.prefix(prefix, place_); }
  void ports(std::uint16_t, std::uint16_t) override {}
  void word(std::string_view) override {}
  void bad(std::string_view text, std::string_view reason) override {
    feed_.fault(place_, text, reason);
  }
  [[nodiscard]] bool done() const override { return feed_.full(); }

 private:
  Feed& feed_;
  Place place_;
  Weight weight_;
};

/// All its items are names; with `prefixes`, prefixes as well.
bool only_names(const HeadlessRule& rule, bool prefixes) {
  return !rule.logical && !rule.items.empty() &&
         std::ranges::all_of(rule.items, [prefixes](const HeadlessItem& item) {
           return group_of(item.field) == HeadlessGroup::destination &&
                  (prefixes || item.field != HeadlessField::prefix);
         });
}

const HeadlessItem* find_unknown(const HeadlessRule& rule) {
  for (const HeadlessItem& item : rule.items)
    if (item.field == HeadlessField::unknown) return &item;
  for (const HeadlessRule& child : rule.rules)
    if (const HeadlessItem* item = find_unknown(child)) return item;
  return nullptr;
}

struct Step {
  const HeadlessRule* rule;
  Weight weight;
};

/// The weight of what stands around something of weight `inner`; nothing when there is none.
std::optional<Weight> around(Weight inner, bool exception) {
  switch (inner) {
    case Weight::listed:
      return exception ? Weight::excepted : Weight::listed;
    case Weight::excepted:
      return exception ? Weight::excepted : Weight::listed_firmly;
    case Weight::listed_firmly:
      return exception ? Weight::excepted_firmly : Weight::listed_firmly;
    case Weight::excepted_firmly:
      break;
  }
  return exception ? std::optional(Weight::excepted_firmly) : std::nullopt;
}

/// A converted filter list taken apart; empty when `rule` is not one.
std::vector<Step> filter_list(const HeadlessRule& rule) {
  std::vector<Step> steps;
  const HeadlessRule* here = &rule;
  for (; here->logical; here = &here->rules[1]) {
    if (here->invert || here->rules.size() != 2) return {};
    const HeadlessRule& first = here->rules[0];
    // `and` with what is not excepted, `or` with what is listed whatever follows.
    if (!only_names(first, false) || first.invert == here->any) return {};
    steps.push_back({&first, here->any ? Weight::listed : Weight::excepted});
  }
  if (!only_names(*here, false) || here->invert) return {};
  Weight inner = Weight::listed;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const auto weight = around(inner, is_exception(step->weight));
    if (!weight) return {};
    step->weight = inner = *weight;
  }
  steps.push_back({here, Weight::listed});
  return steps;
}

class Emitter {
 public:
  Emitter(const HeadlessSource& source, const Bounds& bounds, Feed& feed)
      : source_(source), max_line_(bounds.line_bytes), feed_(feed) {}

  /// Recursion ends at kMaxDepth, which the tree keeps.
  void emit(const HeadlessRule& rule, const Place& place) {
    if (feed_.full()) return;
    if (const HeadlessItem* unknown = find_unknown(rule)) {
      feed_.fault(place, unknown->title, "has no counterpart here; its whole rule is left out");
    } else if (rule.logical && rule.any && !rule.invert && !rule.rules.empty()) {
      for (const HeadlessRule& child : rule.rules) emit(child, place);
    } else if (only_names(rule, true) && !rule.invert) {
      emit_items(rule, place, Weight::listed);
    } else {
      const auto line = headless_line(rule, source_, max_line_);
      if (line) {
        feed_.line(*line, place);
      } else {
        feed_.fault(place, {}, line.error());
      }
    }
  }

  void emit_items(const HeadlessRule& rule, const Place& place, Weight weight) {
    FeedTerms terms(feed_, place, weight);
    for (const HeadlessItem& item : rule.items)
      if (!feed_.full()) source_.read(item, terms);
  }

 private:
  const HeadlessSource& source_;
  std::size_t max_line_;
  Feed& feed_;
};

}  // namespace

void emit_headless(const std::vector<HeadlessRule>& rules, const HeadlessSource& source,
                   const Bounds& bounds, Feed& feed) {
  Emitter emitter(source, bounds, feed);
  if (rules.size() == 1) {
    const std::vector<Step> steps = filter_list(rules[0]);
    for (const Step& step : steps) emitter.emit_items(*step.rule, {}, step.weight);
    if (!steps.empty()) return;
  }
  std::uint32_t number = 0;
  for (const HeadlessRule& rule : rules) emitter.emit(rule, {number++, 0, 0});
}

}  // namespace sluice::ruleformats
