// perf/system/load.h - the kinds of work that a proxy is put to.
//
// Each function does its work to the end and prints one line of JSON. The targets (source, sink,
// echo) are threads of the load program; only the proxy's own CPU time is read, from outside.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perf {

struct Load {
  std::uint16_t proxy = 0;  ///< SOCKS5 port on 127.0.0.1; 0 = straight to the target
  std::size_t flows = 1;    ///< flows or clients at once
  std::size_t count = 0;    ///< connections, or bytes of a datagram
  std::size_t window = 1;   ///< datagrams in flight for each client
  double seconds = 2;
};

/// {"bytes": N, "seconds": S}: the target sends as fast as it can for `seconds`.
void run_download(const Load& load);
/// The same towards the target.
void run_upload(const Load& load);
/// {"connections": N, "seconds": S}: open, handshake, one byte there and back, close; `count`
/// times.
void run_connections(const Load& load);
/// Opens `count` flows, prints {"held": N}, waits for a line on standard input, closes them all,
/// prints {"closed": N}.
void run_hold(const Load& load);
/// {"round_trips": N, "longest_us": N, "opened": N, "seconds": S}: one byte there and back on one
/// flow, at once again, for `seconds`; beside it `flows` clients open flow after flow.
void run_ping(const Load& load);
/// {"round_trips": N, "p50_us": N, "p99_us": N}: one byte there and back on one flow, at once
/// again, for `seconds`; beside it `flows` flows download as fast as they can.
void run_latency(const Load& load);
/// {"packets": N, "lost": N, "seconds": S}: `flows` clients echo datagrams of `count` bytes with
/// `window` in flight; every payload is compared.
void run_udp(const Load& load);
/// The same in runs of 32 that leave and arrive as one where the kernel can.
void run_udp_bulk(const Load& load);

}  // namespace perf
