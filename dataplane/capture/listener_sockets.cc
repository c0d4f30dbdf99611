#include "dataplane/capture/listener_sockets.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::capture {
namespace {

using contract::ListenerKind;

ListenOptions options_for(const Endpoint& at, bool transparent) {
  ListenOptions options;
  options.reuse_port = true;
  options.transparent = transparent;
  options.dual_stack = at.ip.is_v6() && at.ip.is_unspecified();
  return options;
}

/// True when nobody holds the port. A group member would hide another program's group, so this asks
/// without SO_REUSEPORT.
Status probe(const Endpoint& at, ListenOptions options) {
  options.reuse_port = false;
  auto fd = bind_tcp(at, options);
  if (!fd) return fail(fd.error());
  return start_listening(fd->get());
}

Result<std::vector<UniqueFd>> bind_group(Endpoint& at, const ListenOptions& options,
                                         unsigned workers) {
  std::vector<UniqueFd> group;
  for (unsigned i = 0; i < workers; ++i) {
    auto fd = bind_tcp(at, options);
    if (!fd) return fail(fd.error());
    if (at.port == 0) at.port = local_endpoint(fd->get()).port;
    group.push_back(std::move(*fd));
  }
  return group;
}

Result<std::vector<UniqueFd>> bind_udp_group(const Endpoint& at, const ListenOptions& options,
                                             unsigned workers) {
  std::vector<UniqueFd> group;
  for (unsigned i = 0; i < workers; ++i) {
    auto fd = bind_udp(at, options);
    if (!fd) return fail(fd.error());
    group.push_back(std::move(*fd));
  }
  return group;
}

/// "::" with both families, or 0.0.0.0 on a kernel without IPv6.
Endpoint wildcard() {
  ListenOptions dual;
  dual.dual_stack = true;
  const Endpoint any6{*IpAddress::parse("::"), 0};
  return bind_udp(any6, dual) ? any6 : Endpoint{IpAddress::v4(0), 0};
}

}  // namespace

Result<ListenerSockets> bind_listener(const contract::Listener& listener, unsigned workers,
                                      bool shared) {
  ListenerSockets out;
  out.at = {listener.address, listener.port};
  const bool transparent = listener.kind == ListenerKind::tproxy;
  ListenOptions options = options_for(out.at, transparent);
  if (!shared) {
    if (const Status free = probe(out.at, options); !free) return fail(free.error());
  }
  auto tcp = bind_group(out.at, options, workers);
  if (!tcp) return fail(tcp.error());
  out.tcp = std::move(*tcp);
  if (!transparent || !listener.udp) return out;
  options.original_dst = true;
  auto udp = bind_udp_group(out.at, options, workers);
  if (!udp) return fail(udp.error());
  out.udp = std::move(*udp);
  return out;
}

Status open_listener(const ListenerSockets& sockets) {
  for (const UniqueFd& fd : sockets.tcp) {
    if (const Status up = start_listening(fd.get()); !up) return up;
  }
  return {};
}

Status ignore_new_clients(int fd) noexcept {
  // The filter of a listening socket sees the TCP header: byte 13 has the flags, 0x02 is SYN.
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x02, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
  }};
  const sock_fprog filter{program.size(), program.data()};
  if (::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0)
    return fail_errno(errno);
  return {};
}

Result<CaptureSockets> open_capture_sockets(contract::CaptureMode mode, unsigned workers) {
  CaptureSockets out;
  const Endpoint any = wildcard();
  const auto listening_group = [&](bool transparent, std::vector<UniqueFd>& group,
                                   std::uint16_t& port) -> Status {
    Endpoint at = any;
    auto bound = bind_group(at, options_for(any, transparent), workers);
    if (!bound) return fail(bound.error());
    for (const UniqueFd& fd : *bound)
      if (const Status up = start_listening(fd.get()); !up) return up;
    group = std::move(*bound);
    port = at.port;
    return {};
  };
  const Status tcp = mode == contract::CaptureMode::tproxy
                         ? listening_group(true, out.tproxy_tcp, out.tproxy_tcp_port)
                         : listening_group(false, out.redirect, out.redirect_port);
  if (!tcp) return fail(tcp.error());
  // Datagrams are TPROXY'd in both modes: a redirected one has lost its client's port.
  ListenOptions udp = options_for(any, true);
  udp.reuse_port = false;
  udp.original_dst = true;
  for (unsigned i = 0; i < workers; ++i) {
    auto fd = bind_udp(any, udp);
    if (!fd) return fail(fd.error());
    out.tproxy_udp_ports.push_back(local_endpoint(fd->get()).port);
    out.tproxy_udp.push_back(std::move(*fd));
  }
  return out;
}

}  // namespace sluice::capture
