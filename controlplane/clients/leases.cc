#include "controlplane/clients/leases.h"

#include <array>
#include <cstdio>

#include "proto/common/text.h"

namespace sluice::clients {
namespace {

std::string_view take_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

int digit_of(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// dnsmasq writes another hardware type as "06-02:00:...".
std::uint64_t parse_mac(std::string_view text) noexcept {
  if (text.size() > 3 && text[2] == '-') text.remove_prefix(3);
  if (text.size() != 17) return 0;
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % 3 == 2) {
      if (text[i] != ':') return 0;
      continue;
    }
    const int digit = digit_of(text[i]);
    if (digit < 0) return 0;
    out = out << 4 | static_cast<std::uint64_t>(digit);
  }
  return out;
}

}  // namespace

std::vector<Lease> parse_leases(std::string_view text) {
  std::vector<Lease> out;
  while (!text.empty() && out.size() < kMaxLeases) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    const std::string_view expiry = take_word(line);
    const std::string_view device = take_word(line);
    const Result<IpAddress> ip = IpAddress::parse(take_word(line));
    const std::string_view name = take_word(line);
    if (!parse_number(expiry) || !ip || name.empty()) continue;
    out.push_back({*ip, parse_mac(device), name == "*" ? std::string() : std::string(name)});
  }
  return out;
}

std::string mac_text(std::uint64_t mac) {
  if (mac == 0) return {};
  std::array<char, 18> text{};
  const auto byte = [&](unsigned index) {
    return static_cast<unsigned>(mac >> (40 - 8 * index)) & 0xffU;
  };
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", byte(0), byte(1),
                byte(2), byte(3), byte(4), byte(5));
  return text.data();
}

}  // namespace sluice::clients
