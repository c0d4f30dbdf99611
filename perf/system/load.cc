// socks_load KIND --proxy PORT [--flows N] [--count N] [--window N] [--seconds S] [--cpu N]
//
// Puts one kind of load (load.h) on a SOCKS5 proxy on 127.0.0.1 and prints JSON.

#include "perf/system/load.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "perf/system/sockets.h"

namespace {

struct Kind {
  std::string_view name;
  void (*run)(const perf::Load&);
};

constexpr Kind kKinds[] = {
    {"download", perf::run_download},
    {"upload", perf::run_upload},
    {"connections", perf::run_connections},
    {"hold", perf::run_hold},
    {"ping", perf::run_ping},
    {"latency", perf::run_latency},
    {"udp", perf::run_udp},
    {"udp-bulk", perf::run_udp_bulk},
};

[[noreturn]] void usage() {
  std::fputs(
      "usage: socks_load download|upload|connections|hold|ping|latency|udp|udp-bulk --proxy PORT\n"
      "                  [--flows N] [--count N] [--window N] [--seconds S] [--cpu N]\n",
      stderr);
  std::exit(2);
}

void set_option(perf::Load& load, std::string_view name, const char* value) {
  const unsigned long number = std::strtoul(value, nullptr, 10);
  if (name == "--proxy") {
    load.proxy = static_cast<std::uint16_t>(number);
  } else if (name == "--flows") {
    load.flows = number;
  } else if (name == "--count") {
    load.count = number;
  } else if (name == "--window") {
    load.window = number;
  } else if (name == "--seconds") {
    load.seconds = std::strtod(value, nullptr);
  } else if (name == "--cpu") {
    perf::pin_to(static_cast<int>(number));
  } else {
    usage();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0) usage();
  perf::Load load;
  for (int i = 2; i + 1 < argc; i += 2) set_option(load, argv[i], argv[i + 1]);
  for (const Kind& kind : kKinds) {
    if (kind.name != argv[1]) continue;
    kind.run(load);
    return 0;
  }
  usage();
}
