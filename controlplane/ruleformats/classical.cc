#include "controlplane/ruleformats/classical.h"

namespace sluice::ruleformats {
namespace {

std::string_view head_of(NameKind kind) {
  switch (kind) {
    case NameKind::exact:
      return "DOMAIN,";
    case NameKind::suffix:
      return "DOMAIN-SUFFIX,";
    case NameKind::below:
      return "DOMAIN-WILDCARD,*.";
    case NameKind::glob:
      return "DOMAIN-WILDCARD,";
    case NameKind::keyword:
      return "DOMAIN-KEYWORD,";
    case NameKind::regex:
      return "DOMAIN-REGEX,";
  }
  return {};
}

std::string_view regex_start(NameKind kind) {
  if (kind == NameKind::suffix) return "^(.+\\.)?";
  if (kind == NameKind::below) return "^.+\\.";
  return "^";
}

}  // namespace

std::string classical_rule(NameKind kind, bool wild, std::string_view text) {
  if (!wild) return std::string(head_of(kind)).append(text);
  std::string out = "DOMAIN-REGEX,";
  out += regex_start(kind);
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (c == '*') {
      out += "[^.]+";
    } else {
      if (!plain) out.push_back('\\');
      out.push_back(c);
    }
  }
  out.push_back('$');
  return out;
}

bool is_one_field(std::string_view text, bool regex) noexcept {
  return !text.empty() && (regex || text.find(',') == std::string_view::npos);
}

std::string classical_rule(const Prefix& prefix) {
  return (prefix.base.is_v6() ? "IP-CIDR6," : "IP-CIDR,") + prefix.to_string();
}

}  // namespace sluice::ruleformats
