#include "dataplane/kernel/reserved.h"

#include <algorithm>

namespace sluice::kernel {

namespace {

constexpr const char* kReserved[] = {
    "0.0.0.0/8",       // this network, RFC 791
    "10.0.0.0/8",      // private, RFC 1918
    "100.64.0.0/10",   // carrier-grade NAT, RFC 6598
    "127.0.0.0/8",     // loopback, RFC 1122
    "169.254.0.0/16",  // link-local, RFC 3927
    "172.16.0.0/12",   // private, RFC 1918
    "192.0.0.0/24",    // protocol assignments, RFC 6890
    "192.168.0.0/16",  // private, RFC 1918
    "198.18.0.0/15",   // benchmarking, RFC 2544
    "224.0.0.0/4",     // multicast, RFC 5771
    "240.0.0.0/4",     // reserved and broadcast, RFC 1112
    "::/127",          // unspecified and loopback, RFC 4291
    "64:ff9b:1::/48",  // local translation, RFC 8215
    "100::/64",        // discard, RFC 6666
    "fc00::/7",        // unique local, RFC 4193
    "fe80::/10",       // link-local, RFC 4291
    "ff00::/8",        // multicast, RFC 4291
};

}  // namespace

std::vector<Prefix> reserved_prefixes() {
  std::vector<Prefix> out;
  for (const char* text : kReserved) {
    if (const Result<Prefix> prefix = Prefix::parse(text)) out.push_back(*prefix);
  }
  return out;
}

std::vector<Prefix> disjoint(std::vector<Prefix> prefixes) {
  // A prefix sorts right after those that contain it: same base or a lower one, and shorter.
  std::ranges::sort(prefixes, [](const Prefix& a, const Prefix& b) {
    return a.base != b.base ? a.base < b.base : a.length < b.length;
  });
  std::vector<Prefix> out;
  for (const Prefix& prefix : prefixes) {
    if (out.empty() || !out.back().contains(prefix.base)) out.push_back(prefix);
  }
  return out;
}

}  // namespace sluice::kernel
