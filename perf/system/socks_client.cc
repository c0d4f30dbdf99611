#include "perf/system/socks_client.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <span>

#include "perf/system/sockets.h"

namespace perf {

namespace {

constexpr std::byte kVersion{5};
constexpr std::byte kConnect{1};
constexpr std::byte kAssociate{3};
constexpr std::byte kIpv4{1};

/// VER CMD RSV ATYP address(4) port(2)
std::array<std::byte, 10> request(std::byte command, std::uint32_t ip, std::uint16_t port) {
  return {kVersion,
          command,
          std::byte{0},
          kIpv4,
          std::byte(ip >> 24),
          std::byte(ip >> 16 & 0xff),
          std::byte(ip >> 8 & 0xff),
          std::byte(ip & 0xff),
          std::byte(port >> 8),
          std::byte(port & 0xff)};
}

/// Sends greeting and request one after the other, as clients do; returns the bound port.
std::uint16_t negotiate(int fd, const std::array<std::byte, 10>& wanted) {
  const std::array greeting = {kVersion, std::byte{1}, std::byte{0}};
  send_all(fd, greeting);
  std::array<std::byte, 2> method{};
  if (!receive_all(fd, method) || method[1] != std::byte{0}) die("the proxy refused the method");
  send_all(fd, wanted);
  std::array<std::byte, 4> head{};
  if (!receive_all(fd, head) || head[1] != std::byte{0}) die("the proxy refused the request");
  std::array<std::byte, 18> bound{};
  const auto used = std::span(bound).first(head[3] == kIpv4 ? 6 : 18);
  if (!receive_all(fd, used)) die("short reply");
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(used[used.size() - 2]) << 8 |
                                    std::to_integer<unsigned>(used.back()));
}

}  // namespace

sluice::UniqueFd socks_connect(std::uint16_t proxy, std::uint16_t target) {
  sluice::UniqueFd fd = connect_loopback(proxy);
  negotiate(fd.get(), request(kConnect, INADDR_LOOPBACK, target));
  return fd;
}

Association socks_associate(std::uint16_t proxy) {
  Association made{connect_loopback(proxy), bind_loopback(SOCK_DGRAM)};
  const std::uint16_t relay = negotiate(made.control.get(), request(kAssociate, 0, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(relay);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must(::connect(made.socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
       "connect to the relay");
  return made;
}

std::array<std::byte, kUdpHeaderBytes> udp_header(std::uint16_t port) {
  auto header = request(std::byte{0}, INADDR_LOOPBACK, port);
  header[0] = std::byte{0};  // the request's VER and CMD are RSV here, its RSV is FRAG
  return header;
}

}  // namespace perf
