#include "proto/runtime/net/open.h"

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "proto/common/clock.h"
#include "proto/common/log.h"
#include "proto/runtime/net/limits.h"
#include "proto/runtime/net/socket.h"

namespace sluice {
namespace {

// SO_ORIGINAL_DST of linux/netfilter_ipv4.h (whose include clashes with netinet/in.h) and
// IP6T_SO_ORIGINAL_DST have the same number.
constexpr int kOriginalDst = 80;
constexpr int kIcmpFilter = 1;

bool set_int(int fd, int level, int name, int value) noexcept {
  return ::setsockopt(fd, level, name, &value, sizeof value) == 0;
}

Result<UniqueFd> open_socket(int family, int type) noexcept {
  UniqueFd fd(::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return fail_errno(errno);
  return fd;
}

bool set_device_and_mark(int fd, std::string_view device, std::uint32_t mark) noexcept {
  if (!device.empty() && ::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device.data(),
                                      static_cast<socklen_t>(device.size())) != 0)
    return false;
  return mark == 0 || ::setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof mark) == 0;
}

bool apply(int fd, bool v6, const ListenOptions& o) noexcept {
  bool ok = set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (o.reuse_port) ok = ok && set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  if (v6) ok = ok && set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, o.dual_stack ? 0 : 1);
  const bool v4 = !v6 || o.dual_stack;
  if (o.transparent) {
    if (v6) ok = ok && set_int(fd, SOL_IPV6, IPV6_TRANSPARENT, 1);
    if (v4) ok = ok && set_int(fd, SOL_IP, IP_TRANSPARENT, 1);
  }
  if (o.original_dst) {
    if (v6) ok = ok && set_int(fd, SOL_IPV6, IPV6_RECVORIGDSTADDR, 1);
    if (v4) ok = ok && set_int(fd, SOL_IP, IP_RECVORIGDSTADDR, 1);
  }
  if (o.packet_info) {
    if (v6) ok = ok && set_int(fd, SOL_IPV6, IPV6_RECVPKTINFO, 1);
    if (v4) ok = ok && set_int(fd, SOL_IP, IP_PKTINFO, 1);
  }
  return ok && set_device_and_mark(fd, o.device, o.mark);
}

Result<UniqueFd> bind_socket(const Endpoint& at, int type, const ListenOptions& options) {
  const bool v6 = at.ip.is_v6();
  auto fd = open_socket(v6 ? AF_INET6 : AF_INET, type);
  if (!fd) return fail(fd.error());
  if (!apply(fd->get(), v6, options)) return fail_errno(errno);
  sockaddr_storage raw{};
  const socklen_t size = at.to_sockaddr(raw);
  if (::bind(fd->get(), reinterpret_cast<const sockaddr*>(&raw), size) != 0)
    return fail_errno(errno);
  return fd;
}

}  // namespace

void set_keep_alive(int fd, const KeepAlive& options) noexcept {
  if (!options.on) return;
  set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  if (options.idle_s != 0) set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(options.idle_s));
  if (options.interval_s != 0)
    set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, static_cast<int>(options.interval_s));
}

Result<UniqueFd> bind_tcp(const Endpoint& at, const ListenOptions& options) {
  auto fd = bind_socket(at, SOCK_STREAM, options);
  if (fd) set_int(fd->get(), IPPROTO_TCP, TCP_NODELAY, 1);
  return fd;
}

Status start_listening(int fd) noexcept {
  if (::listen(fd, kListenBacklog) != 0) return fail_errno(errno);
  return {};
}

Result<UniqueFd> listen_tcp(const Endpoint& at, const ListenOptions& options) {
  auto fd = bind_tcp(at, options);
  if (!fd) return fd;
  if (const Status up = start_listening(fd->get()); !up) return fail(up.error());
  return fd;
}

Result<UniqueFd> bind_udp(const Endpoint& at, const ListenOptions& options) {
  return bind_socket(at, SOCK_DGRAM, options);
}

Result<UniqueFd> bind_transparent_reply(const Endpoint& source, std::uint32_t mark) {
  ListenOptions options;
  options.transparent = true;
  options.mark = mark;
  auto fd = bind_socket(source, SOCK_DGRAM, options);
  if (!fd) return fd;
  return unless_scarce(std::move(*fd));
}

Result<UniqueFd> open_icmp_sender(Family family, std::uint32_t mark) {
  const bool v6 = family == Family::v6;
  UniqueFd fd(::socket(v6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC,
                       v6 ? static_cast<int>(IPPROTO_ICMPV6) : static_cast<int>(IPPROTO_ICMP)));
  if (!fd.valid()) return fail_errno(errno);
  bool ok = set_device_and_mark(fd.get(), {}, mark);
  if (v6) {
    icmp6_filter nothing;
    ICMP6_FILTER_SETBLOCKALL(&nothing);
    ok = ok && set_int(fd.get(), SOL_IPV6, IPV6_TRANSPARENT, 1) &&
         ::setsockopt(fd.get(), IPPROTO_ICMPV6, ICMP6_FILTER, &nothing, sizeof nothing) == 0;
  } else {
    // ICMP_FILTER of linux/icmp.h: one bit for each type that is not wanted.
    ok = ok && set_int(fd.get(), SOL_IP, IP_TRANSPARENT, 1) &&
         set_int(fd.get(), SOL_RAW, kIcmpFilter, -1);
  }
  if (!ok) return fail_errno(errno);
  return fd;
}

Result<UniqueFd> start_connect(const Endpoint& to, const DialOptions& options) {
  auto fd = open_socket(to.ip.is_v6() ? AF_INET6 : AF_INET, SOCK_STREAM);
  if (!fd) return fd;
  if (!set_device_and_mark(fd->get(), options.device, options.mark)) return fail_errno(errno);
  set_int(fd->get(), IPPROTO_TCP, TCP_NODELAY, 1);
  sockaddr_storage raw{};
  const socklen_t size = to.to_sockaddr(raw);
  if (::connect(fd->get(), reinterpret_cast<const sockaddr*>(&raw), size) != 0 &&
      errno != EINPROGRESS && errno != EINTR)  // an interrupted one goes on as well
    return fail_errno(errno, Side::upstream);
  return fd;
}

Result<UniqueFd> open_udp(Family family, const DialOptions& options) {
  auto fd = open_socket(family == Family::v4 ? AF_INET : AF_INET6, SOCK_DGRAM);
  if (!fd) return fd;
  if (family == Family::none) set_int(fd->get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (!set_device_and_mark(fd->get(), options.device, options.mark)) return fail_errno(errno);
  return unless_scarce(std::move(*fd));
}

Result<UniqueFd> unless_scarce(UniqueFd fd) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return fd;
  // The kernel hands out the lowest free number, so a number tells how many are taken.
  const rlim_t mark = limit.rlim_cur - limit.rlim_cur / kReservedShare;
  if (static_cast<rlim_t>(fd.get()) < mark) return fd;
  static std::atomic<std::int64_t> quiet_until{0};
  const Moment now = monotonic_now();
  if (quiet_until.load(std::memory_order_relaxed) <= now.ms) {
    quiet_until.store((now + kScarceWarning).ms, std::memory_order_relaxed);
    SLUICE_LOG(warning, "udp", "%d of %llu file descriptors are taken: new UDP flows are dropped",
               fd.get(), static_cast<unsigned long long>(limit.rlim_cur));
  }
  return fail(Errc::no_descriptors);
}

Status ask_for_dscp(int fd, bool on) noexcept {
  int family = 0;
  socklen_t size = sizeof family;
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) return fail_errno(errno);
  const int value = on ? 1 : 0;
  bool ok = family != AF_INET6 || set_int(fd, SOL_IPV6, IPV6_RECVTCLASS, value);
  // A dual-stack socket reports IPv4's in IPv4's way.
  ok = ok && set_int(fd, SOL_IP, IP_RECVTOS, value);
  if (!ok) return fail_errno(errno);
  return {};
}

Result<UniqueFd> accept_one(int listener, Endpoint& peer) noexcept {
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  UniqueFd fd(
      ::accept4(listener, reinterpret_cast<sockaddr*>(&raw), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno);
  peer = Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&raw));
  return fd;
}

Result<Endpoint> redirected_destination(int fd) noexcept {
  const Endpoint local = local_endpoint(fd);
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  // A v4 client of a dual-stack listener must be asked at the IPv4 level (facts, item 7).
  const int rc = local.ip.is_v4() ? ::getsockopt(fd, SOL_IP, kOriginalDst, &raw, &size)
                                  : ::getsockopt(fd, SOL_IPV6, kOriginalDst, &raw, &size);
  if (rc != 0) return fail_errno(errno, Side::client);
  return Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&raw));
}

}  // namespace sluice
