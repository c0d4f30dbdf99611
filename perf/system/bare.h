// perf/system/bare.h - the bare programs' loops. None of them returns.
#pragma once

#include <cstdint>

namespace perf {

enum class Move { splice, copy };

/// SOCKS5 CONNECT to IPv4 addresses; bytes move by splice(2) through one pipe for each direction,
/// or by read and write through one shared buffer.
[[noreturn]] void serve_streams(std::uint16_t port, Move move);

/// SOCKS5 UDP ASSOCIATE; recvmmsg and sendmmsg in batches, one socket to the client and one out for
/// each association.
[[noreturn]] void serve_datagrams(std::uint16_t port);

}  // namespace perf
