// U-labels to A-labels. Names of the field hold bytes that IDNA forbids (`_`, spaces never), so
// only labels that are not ASCII go through libidn2.
#include <idn2.h>

#include <algorithm>
#include <memory>

#include "controlplane/model/read/words.h"
#include "proto/common/name.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

struct FreeIdn {
  void operator()(std::uint8_t* p) const noexcept { idn2_free(p); }
};

bool is_ascii(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Result<std::string> label_to_ascii(std::string_view label) {
  if (is_ascii(label)) return std::string(label);
  const std::string input(label);
  std::uint8_t* raw = nullptr;
  const int rc = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(input.c_str()), &raw,
                                IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  const std::unique_ptr<std::uint8_t, FreeIdn> out(raw);
  if (rc != IDN2_OK || !out) return fail(Errc::malformed);
  return std::string(reinterpret_cast<const char*>(out.get()));
}

/// Every label on its own; `*` stays where patterns are meant.
Result<std::string> labels_to_ascii(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t dot = text.find('.');
    const auto label = label_to_ascii(text.substr(0, dot));
    if (!label) return fail(label.error());
    out += *label;
    if (dot == std::string_view::npos) return out;
    out += '.';
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

Result<std::string> to_ascii_name(std::string_view text) {
  const auto ascii = labels_to_ascii(text);
  if (!ascii) return fail(ascii.error());
  return normalize_name(*ascii);
}

Result<std::string> to_ascii_pattern(std::string_view text) {
  std::string lead;
  if (text.starts_with("+.")) lead = "+.";
  if (text.starts_with('.')) lead = ".";
  text.remove_prefix(lead.size());
  // A star is a whole label, a plus only leads (B056).
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (label != "*" && label.find_first_of("*+") != std::string_view::npos)
      return fail(Errc::unsupported);
    rest.remove_prefix(std::min(rest.size(), label.size() + 1));
  }
  const auto name = to_ascii_name(text);
  if (!name) return fail(name.error());
  return lead + *name;
}

Result<std::string> to_ascii_glob(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMaxName) return fail(Errc::malformed);
  std::string out;
  while (true) {
    const std::string_view label = text.substr(0, text.find('.'));
    if (!is_ascii(label) && label.find_first_of("*?") != std::string_view::npos)
      return fail(Errc::malformed);
    const auto ascii = label_to_ascii(label);
    if (!ascii || label.empty()) return fail(Errc::malformed);
    out += *ascii;
    if (label.size() == text.size()) break;
    out += '.';
    text.remove_prefix(label.size() + 1);
  }
  // What stands for characters is replaced by one that may stand anywhere in a name.
  std::string plain = out;
  std::ranges::replace_if(plain, [](char c) { return c == '*' || c == '?'; }, 'x');
  if (!normalize_name(plain)) return fail(Errc::malformed);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

}  // namespace sluice::model
