// perf/system/socks_client.h - the client's half of SOCKS5, RFC 1928, without login.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "proto/common/unique_fd.h"

namespace perf {

/// CONNECT through the proxy on 127.0.0.1:`proxy` to 127.0.0.1:`target`.
sluice::UniqueFd socks_connect(std::uint16_t proxy, std::uint16_t target);

/// One UDP ASSOCIATE: the control connection lives as long as the mapping.
struct Association {
  sluice::UniqueFd control;
  sluice::UniqueFd socket;  ///< connected to the relay's address
};
Association socks_associate(std::uint16_t proxy);

inline constexpr std::size_t kUdpHeaderBytes = 10;
/// RSV(2) FRAG(1) ATYP(1) address(4) port(2), RFC 1928 section 7, for 127.0.0.1:`port`.
std::array<std::byte, kUdpHeaderBytes> udp_header(std::uint16_t port);

}  // namespace perf
