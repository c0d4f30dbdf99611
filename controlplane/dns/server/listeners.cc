#include "controlplane/dns/server/listeners.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace sluice::dns {
namespace {

/// The kernel chose a UDP port whose TCP twin is taken: another one is tried this often.
constexpr int kPortTries = 16;

Endpoint wildcard(Family family, std::uint16_t port) {
  const std::array<std::byte, 16> zeros{};
  return {family == Family::v4 ? IpAddress::v4(0) : IpAddress::from_bytes(zeros), port};
}

}  // namespace

std::vector<ListenProblem> Listeners::apply(const std::optional<Endpoint>& listen,
                                            const std::vector<std::string>& devices) {
  std::vector<Pair> wanted;
  if (listen) wanted.push_back({"", *listen, nullptr, nullptr});
  for (const std::string& device : devices)
    wanted.push_back({device, wildcard(Family::v6, 0), nullptr, nullptr});
  for (Pair& pair : wanted) {
    const auto same = std::ranges::find_if(pairs_, [&](const Pair& old) {
      return old.device == pair.device && old.wanted == pair.wanted;
    });
    if (same != pairs_.end()) pair = std::move(*same);
  }
  pairs_ = std::move(wanted);  // what was not taken over is closed here, before ports are reused
  std::vector<ListenProblem> problems;
  for (Pair& pair : pairs_) {
    if (pair.udp != nullptr && pair.tcp != nullptr) continue;
    if (auto problem = open(pair)) problems.push_back(std::move(*problem));
  }
  std::erase_if(pairs_, [](const Pair& p) { return p.udp == nullptr || p.tcp == nullptr; });
  return problems;
}

std::optional<ListenProblem> Listeners::open(Pair& pair) {
  ListenOptions options;
  options.packet_info = true;
  options.device = pair.device;
  Endpoint at = pair.wanted;
  options.dual_stack = at.ip.is_v6() && at.ip.is_unspecified();
  Transport failed = Transport::udp;
  Status opened = fail(Errc::exists);
  for (int i = 0; i < kPortTries; ++i) {
    opened = open_at(pair, at, options, failed);
    if (!opened && opened.error().sys == EAFNOSUPPORT && options.dual_stack) {
      at = wildcard(Family::v4, at.port);  // a kernel without IPv6
      options.dual_stack = false;
      opened = open_at(pair, at, options, failed);
    }
    if (opened) return std::nullopt;
    if (at.port != 0 || opened.error().code != Errc::exists) break;
  }
  pair.udp.reset();
  pair.tcp.reset();
  return ListenProblem{pair.device, pair.wanted, failed, opened.error()};
}

Status Listeners::open_at(Pair& pair, const Endpoint& at, const ListenOptions& options,
                          Transport& failed) const {
  failed = Transport::udp;
  auto udp = bind_udp(at, options);
  if (!udp) return fail(udp.error());
  auto udp_port = UdpPort::make(loop_, std::move(*udp), options.dual_stack, responder_, scratch_);
  if (!udp_port) return fail(udp_port.error());
  failed = Transport::tcp;
  Endpoint tcp_at = at;
  if (options.device.empty()) tcp_at.port = (*udp_port)->local().port;
  auto tcp = listen_tcp(tcp_at, options);
  if (!tcp) return fail(tcp.error());
  auto tcp_port = TcpPort::make(loop_, std::move(*tcp), responder_);
  if (!tcp_port) return fail(tcp_port.error());
  pair.udp = std::move(*udp_port);
  pair.tcp = std::move(*tcp_port);
  return {};
}

std::vector<contract::DnsPort> Listeners::hijack_ports() const {
  std::vector<contract::DnsPort> out;
  for (const Pair& pair : pairs_)
    if (!pair.device.empty())
      out.push_back({pair.device, pair.udp->local().port, pair.tcp->local().port});
  return out;
}

std::optional<Endpoint> Listeners::listen_address() const {
  for (const Pair& pair : pairs_)
    if (pair.device.empty()) return pair.udp->local();
  return std::nullopt;
}

std::vector<Endpoint> Listeners::all() const {
  std::vector<Endpoint> out;
  for (const Pair& pair : pairs_) {
    out.push_back(pair.udp->local());
    out.push_back(pair.tcp->local());
  }
  return out;
}

}  // namespace sluice::dns
