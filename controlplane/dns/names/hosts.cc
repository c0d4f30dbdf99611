#include "controlplane/dns/names/hosts.h"

#include <utility>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/names/own_addresses.h"
#include "proto/common/log.h"

namespace sluice::dns {
namespace {

std::vector<IpAddress> lan_addresses() {
  std::vector<IpAddress> out = own_addresses();
  std::erase_if(out, [](const IpAddress& ip) { return ip.is_loopback() || ip.is_link_local(); });
  return out;
}

/// RFC 6761 section 6.3: never asked of a server, which could say anything.
bool is_localhost(std::string_view name) noexcept {
  return name == "localhost" || name.ends_with(".localhost");
}

std::vector<IpAddress> loopback() {
  return {IpAddress::v4(0x7f000001), *IpAddress::parse("::1")};
}

}  // namespace

Hosts::Hosts(std::vector<model::Host> lines) : lines_(std::move(lines)) {
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    const model::Host& line = lines_[i];
    if (!patterns_.add(line.pattern, i)) {
      SLUICE_LOG(warning, "dns", "hosts: pattern \"%s\" is ignored", line.pattern.c_str());
      continue;
    }
    if (!NamePatterns::is_exact(line.pattern)) continue;
    for (const IpAddress& ip : line.addresses) by_address_.emplace(ip, i);
  }
}

Result<Hosts::Found> Hosts::find(std::string_view name) const {
  Found out;
  out.name = name;
  for (int hop = 0; hop <= kAliasHops; ++hop) {
    const auto index = patterns_.find(out.name);
    if (!index && is_localhost(out.name)) {
      out.listed = true;
      out.addresses = loopback();
    }
    if (!index) return out;
    const model::Host& line = lines_[*index];
    if (line.alias.empty()) {
      out.listed = true;
      out.addresses = line.lan ? lan_addresses() : line.addresses;
      return out;
    }
    out.name = line.alias;
    out.aliases.push_back(line.alias);
  }
  return fail(Errc::loop);
}

std::string_view Hosts::name_of(const IpAddress& address) const noexcept {
  const auto hit = by_address_.find(address);
  return hit == by_address_.end() ? std::string_view{} : lines_[hit->second].pattern;
}

}  // namespace sluice::dns
