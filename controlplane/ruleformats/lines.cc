#include "controlplane/ruleformats/lines.h"

#include <algorithm>

namespace sluice::ruleformats {

Outcome<std::string_view> open_text(ByteView file, const Bounds& bounds) {
  if (file.size() > bounds.input_bytes)
    return refuse(Errc::too_large, bounds.input_bytes, "is larger than a rule file may be");
  std::string_view text = as_text(file);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return refuse(Errc::unsupported, 0, "is UTF-16; save it as UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return refuse(Errc::malformed, file.size() - text.size() + nul, "is not a text file");
  return text;
}

bool Lines::next() noexcept {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

}  // namespace sluice::ruleformats
