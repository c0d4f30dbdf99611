#include "controlplane/ruleformats/name_text.h"

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

}  // namespace sluice::ruleformats
