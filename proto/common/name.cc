#include "proto/common/name.h"

#include <algorithm>

#include "proto/common/text.h"

namespace sluice {
namespace {

bool legal(char c) noexcept {
  const auto u = static_cast<unsigned char>(c);
  return u > 0x20 && u < 0x7f && std::string_view(":/=@%?#\\").find(c) == std::string_view::npos;
}

bool labels_fit(std::string_view text) noexcept {
  std::size_t label = 0;
  for (const char c : text) {
    if (c == '.') {
      if (label == 0) return false;
      label = 0;
    } else if (++label > 63) {
      return false;
    }
  }
  return label != 0;
}

}  // namespace

bool is_normal_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMaxName && labels_fit(text) &&
         std::ranges::all_of(text, [](char c) { return legal(c) && to_lower(c) == c; });
}

Result<std::string> normalize_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  std::string out(text.substr(0, kMaxName + 1));
  std::ranges::transform(out, out.begin(), to_lower);
  if (!is_normal_name(out)) return fail(Errc::malformed);
  return out;
}

Result<Destination> Destination::from_host(std::string_view host, std::uint16_t port) {
  Destination out;
  out.port = port;
  std::string_view literal = host;
  if (literal.size() > 2 && literal.front() == '[' && literal.back() == ']')
    literal = literal.substr(1, literal.size() - 2);
  if (const auto ip = IpAddress::parse(literal)) {
    out.ip = *ip;
    return out;
  }
  auto name = normalize_name(host);
  if (!name) return fail(name.error());
  out.name = std::move(*name);
  return out;
}

std::string Destination::to_string() const {
  return join_host_port(host(), port);
}

}  // namespace sluice
