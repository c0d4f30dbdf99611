#include "controlplane/ruleformats/feed.h"

#include <algorithm>
#include <string>

#include "proto/common/text.h"

namespace sluice::ruleformats {

bool Feed::take() noexcept {
  full_ = full_ || next_entry() >= limit_;
  return !full_;
}

void Feed::name(NameKind kind, std::string_view text, const Place& place,
                NameText::Wildcards wildcards, Weight weight) {
  NameText checked;
  if (const std::string_view reason = checked.assign(text, wildcards); !reason.empty()) {
    fault(place, text, reason);
    return;
  }
  if (!take()) return;
  ++tally_.entries;
  to_.name({kind, weight, checked.wild(), checked.view(), place});
}

void Feed::pattern(NameKind kind, std::string_view text, const Place& place, Weight weight) {
  if (text.empty()) {
    fault(place, text, "is empty");
    return;
  }
  if (!take()) return;
  ++tally_.entries;
  if (kind == NameKind::regex) {
    to_.name({kind, weight, false, text, place});
    return;
  }
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), to_lower);
  to_.name({kind, weight, false, lower, place});
}

void Feed::prefix(const Prefix& prefix, const Place& place) {
  if (!take()) return;
  ++tally_.entries;
  to_.prefix(prefix, place);
}

void Feed::line(std::string_view rule, const Place& place) {
  if (!take()) return;
  ++tally_.entries;
  to_.line(rule, place);
}

void Feed::fault(const Place& place, std::string_view text, std::string_view reason) {
  if (!take()) return;
  ++tally_.faults;
  to_.fault({place, text, reason});
}

Outcome<Tally> Feed::finish() const noexcept {
  if (full_) return refuse(Errc::too_large, 0, "holds more entries than are allowed");
  return tally_;
}

}  // namespace sluice::ruleformats
