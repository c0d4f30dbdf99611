// bare splice|copy|udp --port N [--cpu N]
//
// The least that a SOCKS5 proxy of its kind can do: one thread, one epoll, no rules, no accounting,
// no time limits. What it costs is the floor that the product is compared with.

#include "perf/system/bare.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "perf/system/sockets.h"

int main(int argc, char** argv) {
  const std::string_view kind = argc > 1 ? argv[1] : "";
  std::uint16_t port = 0;
  for (int i = 2; i + 1 < argc; i += 2) {
    const int number = std::atoi(argv[i + 1]);
    if (std::string_view(argv[i]) == "--port") port = static_cast<std::uint16_t>(number);
    if (std::string_view(argv[i]) == "--cpu") perf::pin_to(number);
  }
  if (port != 0 && kind == "splice") perf::serve_streams(port, perf::Move::splice);
  if (port != 0 && kind == "copy") perf::serve_streams(port, perf::Move::copy);
  if (port != 0 && kind == "udp") perf::serve_datagrams(port);
  std::fputs("usage: bare splice|copy|udp --port N [--cpu N]\n", stderr);
  return 2;
}
