// Rules and a sniffer for the tests of what is looked at:
//
//   0 the condition (DOMAIN-SUFFIX,secret.test)  REJECT    force-domain  +.forced.test
//   1 MATCH                                       DIRECT    skip-domain   +.skipped.test
//   HTTP 80, 8000-8100; TLS 443; QUIC 443                  skip-src      192.0.2.3
//                                                          skip-dst      198.51.100.0/24
#pragma once

#include <string>

#include "dataplane/flow/decide.h"
#include "tests/unit/dataplane/flow/rig.h"

namespace sluice::flow {

class SniffRig : public EngineRig {
 protected:
  static constexpr std::uint32_t kReject = 1;

  template <class S, class M>
  void use_sniffer(
      S&& sniff, M&& change,
      const ruleset::Condition& first = ruleset::Condition::domain_suffix("secret.test")) {
    use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
      using ruleset::Condition;
      using ruleset::Resolve;
      rules.line(first);
      rules.always();
      m.rules = {{"First", "", kReject, 0}, {"Match", "", 0, 1}};
      m.sniffer.enable = true;
      m.sniffer.http.ports = {{80, 80}, {8000, 8100}};
      m.sniffer.tls.ports = {{443, 443}};
      m.sniffer.quic.ports = {{443, 443}};
      std::uint32_t entry = 0;
      const auto list = [&](const Condition& condition) {
        rules.begin_entry();
        rules.place(2 + entry, condition);
        return ++entry;
      };
      m.sniffer.force_domain = list(Condition::domain_suffix("forced.test"));
      m.sniffer.skip_domain = list(Condition::domain_suffix("skipped.test"));
      m.sniffer.skip_source = list(Condition::source(*Prefix::parse("192.0.2.3")));
      m.sniffer.skip_destination =
          list(Condition::destination(*Prefix::parse("198.51.100.0/24"), Resolve::no));
      sniff(m.sniffer);
      change(m);
    });
  }
  template <class S>
  void use_sniffer(S&& sniff) {
    use_sniffer(sniff, [](contract::Manifest&) {});
  }

  static Request to(const std::string& host_port) {
    Request request;
    request.inbound_type = contract::InboundType::tproxy;
    request.source = *Endpoint::parse("192.0.2.9:5000");
    if (const auto endpoint = Endpoint::parse(host_port)) {
      request.destination.ip = endpoint->ip;
      request.destination.port = endpoint->port;
    } else {
      const std::size_t colon = host_port.rfind(':');
      request.destination.name = host_port.substr(0, colon);
      request.destination.port = static_cast<std::uint16_t>(std::stoi(host_port.substr(colon + 1)));
    }
    return request;
  }

  Result<Decision> decided(const Request& request, FirstBytes* first) {
    Result<Decision> out = fail(Errc::invalid);
    bool done = false;
    worker->loop().spawn(decide_into(request, first, out, done));
    turn_until([&] { return done; });
    return out;
  }
  Task<void> decide_into(Request request, FirstBytes* first, Result<Decision>& out, bool& done) {
    out = co_await decide(*engine, request, worker->loop().now() + 5_s, first);
    done = true;
  }
};

}  // namespace sluice::flow
