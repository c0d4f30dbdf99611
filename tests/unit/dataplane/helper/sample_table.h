// sample_table.h - a table that uses everything, for tests that go through it whole.
#pragma once

#include "dataplane/helper/commands.h"

namespace sluice::nft::test {

inline CaptureTable sample_table() {
  CaptureTable table;
  table.mode = Mode::tproxy;
  table.dns_hijack = true;
  table.dns_redirect = true;
  table.router_traffic = true;
  table.fail_closed = true;
  table.tcp_port = 5100;
  table.udp_ports = {5000, 5001, 5002, 5003};
  table.lan = {{"lan0", 5300, 5301}, {"lan1", 5310, 5311}};
  table.exempt_uids = {991, 992};
  table.fakes = {Prefix::parse("198.18.0.0/16").value(),
                 Prefix::parse("fdfe:dcba:9876::/64").value(),
                 Prefix::parse("100.96.0.0/12").value()};
  for (const char* text : {"0.0.0.0/8", "10.0.0.0/8", "192.168.0.0/16", "192.169.0.0/16",
                           "240.0.0.0/4", "::/127", "fc00::/7", "ff00::/8"})
    table.bypass.push_back(Prefix::parse(text).value());
  return table;
}

}  // namespace sluice::nft::test
