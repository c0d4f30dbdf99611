#include "controlplane/ruleformats/feed.h"

#include <algorithm>
#include <string>

#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

constexpr std::size_t kMaxLabel = 63;

/// Bytes of a label in normal form; those of UTF-8 sequences pass, the compiler turns them to
/// ASCII.
constexpr std::array<bool, 256> kNameBytes = [] {
  std::array<bool, 256> legal{};
  for (unsigned c = 0x21; c < 256; ++c) legal[c] = c != 0x7f;
  for (const char c : std::string_view(":/=@%?#\\*")) legal[static_cast<unsigned char>(c)] = false;
  return legal;
}();

}  // namespace

std::string_view NameText::assign(std::string_view text, Wildcards wildcards) noexcept {
  if (text.ends_with('.')) text.remove_suffix(1);
  size_ = 0;
  wild_ = false;
  if (text.empty()) return "is empty";
  if (text.size() > kMaxName) return "is longer than a name can be";
  bool ascii = true;
  std::size_t label = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      if (label == 0) return "has an empty label";
      label = 0;
    } else if (c == '*' && wildcards == Wildcards::labels) {
      const bool whole = label == 0 && (i + 1 == text.size() || text[i + 1] == '.');
      if (!whole) return "has a `*` that is not a whole label";
      wild_ = true;
      label = 1;
    } else if (!kNameBytes[static_cast<unsigned char>(c)]) {
      return "has a character that no name has";
    } else if (++label > kMaxLabel) {
      return "has a label of more than 63 characters";
    }
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    bytes_[i] = to_lower(c);
  }
  if (label == 0) return "has an empty label";
  if (!ascii && !is_utf8(text)) return "is not UTF-8";
  // A byte order mark within a file: invisible, and no part of any name.
  if (!ascii && text.find("\xef\xbb\xbf") != std::string_view::npos)
    return "has a character that no name has";
  size_ = text.size();
  return {};
}

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
