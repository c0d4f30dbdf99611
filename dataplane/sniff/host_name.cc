#include "dataplane/sniff/host_name.h"

#include <algorithm>

#include "proto/common/text.h"

namespace sluice::sniff {
namespace {

/// A last label of digits alone makes a text an IPv4 address, well-formed or not.
bool ends_in_number(std::string_view name) noexcept {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool HostName::assign(std::string_view name) noexcept {
  clear();
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.size() > text_.size()) return false;
  std::ranges::transform(name, text_.begin(), to_lower);
  const std::string_view lowered(text_.data(), name.size());
  if (!is_normal_name(lowered) || ends_in_number(lowered)) return false;
  size_ = static_cast<std::uint8_t>(name.size());
  return true;
}

bool HostName::assign_authority(std::string_view authority) noexcept {
  authority.remove_prefix(authority.rfind('@') + 1);  // npos + 1 is 0
  const std::size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos) {
    if (!authority.ends_with(':') && !parse_number(authority.substr(colon + 1), UINT16_MAX)) {
      clear();
      return false;
    }
    authority = authority.substr(0, colon);
  }
  return assign(authority);
}

}  // namespace sluice::sniff
