#include "controlplane/ruleformats/adguard_list.h"

#include <algorithm>

#include "controlplane/ruleformats/adguard_pattern.h"
#include "controlplane/ruleformats/hosts_list.h"
#include "controlplane/ruleformats/lines.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

/// A rule taken apart: [@@] pattern [$modifier,modifier].
struct FilterRule {
  bool exception = false;
  bool regex = false;
  std::string_view pattern;
  std::string_view modifiers;
};

FilterRule split_rule(std::string_view text) {
  FilterRule rule;
  rule.exception = text.starts_with("@@");
  if (rule.exception) text.remove_prefix(2);
  // A regex may hold `$`; only what follows its closing slash are modifiers.
  const std::size_t close = text.rfind('/');
  const bool closed = close != std::string_view::npos && close > 0 &&
                      (close + 1 == text.size() || text[close + 1] == '$');
  rule.regex = text.starts_with('/') && closed;
  const std::size_t dollar = rule.regex ? close + 1 : text.find('$');
  rule.pattern = text.substr(0, dollar);
  if (rule.regex) rule.pattern = rule.pattern.substr(1, close - 1);
  if (dollar < text.size()) rule.modifiers = text.substr(dollar + 1);
  return rule;
}

bool is_cosmetic(std::string_view text) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"##", "#@#", "#?#", "#$#", "#%#"}),
      [text](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

class AdguardList {
 public:
  explicit AdguardList(Feed& feed) : feed_(feed) {}

  void read(std::string_view line, std::uint32_t number) {
    const std::string_view text = trim(line);
    if (text.empty() || text[0] == '!' || text[0] == '#' || text[0] == '[') return;
    if (text.find_first_of(" \t") != std::string_view::npos &&
        feed_hosts_line(line.substr(0, line.find('#')), number, feed_))
      return;
    const auto column = static_cast<std::uint32_t>(text.data() - line.data()) + 1;
    const Place place{feed_.next_entry(), number, column};
    if (is_cosmetic(text)) {
      feed_.fault(place, text, "is about parts of pages, not names");
    } else {
      read_rule(text, place);
    }
  }

 private:
  void read_rule(std::string_view text, const Place& place) {
    const FilterRule rule = split_rule(text);
    if (!rule.modifiers.empty() && rule.modifiers != "important") {
      feed_.fault(place, text, "has a modifier that does not concern names alone");
      return;
    }
    const bool firm = !rule.modifiers.empty();
    const Weight weight = rule.exception ? (firm ? Weight::excepted_firmly : Weight::excepted)
                                         : (firm ? Weight::listed_firmly : Weight::listed);
    if (rule.regex) {
      feed_.pattern(NameKind::regex, rule.pattern, place, weight);
    } else {
      read_pattern(text, rule.pattern, weight, place);
    }
  }

  void read_pattern(std::string_view text, std::string_view pattern_text, Weight weight,
                    const Place& place) {
    const AdguardPattern pattern = AdguardPattern::parse(pattern_text);
    if (const std::string_view reason = names_.expand(pattern); !reason.empty()) {
      feed_.fault(place, text, reason);
      return;
    }
    for (const AdguardNames::Item& item : names_.items()) {
      if (item.kind == NameKind::keyword && is_whole_name(item.text)) {
        feed_.name(NameKind::exact, item.text, place, NameText::Wildcards::refused, weight);
      } else if (item.kind == NameKind::keyword || item.kind == NameKind::glob) {
        feed_.pattern(item.kind, item.text, place, weight);
      } else {
        feed_.name(item.kind, item.text, place, NameText::Wildcards::refused, weight);
      }
    }
  }

  /// A line that is nothing but a name means this name alone, not every name that holds it.
  static bool is_whole_name(std::string_view text) {
    NameText name;
    return text.find('.') != std::string_view::npos && !text.ends_with('.') &&
           !text.starts_with('-') && name.assign(text, NameText::Wildcards::refused).empty();
  }

  Feed& feed_;
  AdguardNames names_;
};

}  // namespace

Outcome<Tally> read_adguard_list(ByteView file, const Bounds& bounds, Entries& to) {
  const auto text = open_text(file, bounds);
  if (!text) return std::unexpected(text.error());
  Feed feed(to, bounds);
  AdguardList list(feed);
  Lines lines(*text);
  while (!feed.full() && lines.next()) list.read(lines.text(), lines.number());
  return feed.finish();
}

}  // namespace sluice::ruleformats
