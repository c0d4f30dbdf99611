#include "controlplane/dns/upstream/system_servers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "proto/common/text.h"
#include "proto/common/unique_fd.h"

namespace sluice::dns {

std::vector<Endpoint> parse_resolv_conf(std::string_view text) {
  constexpr std::string_view kKey = "nameserver";
  std::vector<Endpoint> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(kKey) || line.size() == kKey.size()) continue;
    line.remove_prefix(kKey.size());
    if (line.front() != ' ' && line.front() != '\t') continue;
    line = trim(line);
    // "fe80::1%eth0": a zone cannot be kept in an Endpoint, and such a server is not asked.
    if (const auto ip = IpAddress::parse(line)) out.push_back({*ip, 53});
  }
  return out;
}

std::vector<Endpoint> system_servers() {
  const UniqueFd fd(::open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return {};
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
  if (n <= 0) return {};
  return parse_resolv_conf({buffer.data(), static_cast<std::size_t>(n)});
}

}  // namespace sluice::dns
