// flow/decide.h - from what a client asked for to the outbound that serves it; TCP, UDP and
// explain.
//
//   restore the name of a fake address ─> refuse own listeners ─> sniff ─> rules ─> route
//                                                                           │ ^
//                        an address, a protocol, once; an owner ────────────┘ └── when a rule
//                                                                                 hangs on it
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataplane/flow/engine.h"
#include "dataplane/route/matcher.h"
#include "proto/contract/flow_info.h"

namespace sluice::flow {

class FirstBytes;

/// What is known about a client's wish. Owns its texts: it outlives awaits.
struct Request {
  Network network = Network::tcp;
  contract::InboundType inbound_type = contract::InboundType::socks5;
  std::string inbound_name;
  std::uint16_t inbound_port = 0;  ///< of the listener; 0: one of ours without a port to name
  std::string user;
  Endpoint source;
  Endpoint inbound;
  Endpoint relay;                    ///< SOCKS UDP: where its datagrams come in
  std::optional<std::uint8_t> dscp;  ///< of a TPROXY'd datagram, while some rule compares it
  Destination destination;           ///< as asked for; a fake address is restored by decide()
  /// Skips the rules (a listener's `proxy`, dial.sock). A name, since an index means something else
  /// in the next snapshot; empty = the rules decide.
  std::string outbound;
};

struct Decision {
  PinnedSnapshot snapshot;
  route::Route route;
  /// Where it goes: name restored, or sniffed; ip invalid where the name decides.
  Destination destination;
  contract::DnsMode dns_mode = contract::DnsMode::normal;
  std::string sniff_host;  ///< that the rules compared; empty: none
};

/// The rules are those that the request's listener has in the snapshot that decides.
/// Errors: denied (no snapshot yet; an address of the fake pool that nobody knows), not_found (the
/// request's outbound, or the listener whose rules would decide), loop, cancelled, timeout, and
/// those of FirstBytes::look. A route that refuses (REJECT, not built) is a decision, not an error.
/// `first`: nullptr where nobody can look at first bytes.
Task<Result<Decision>> decide(Engine& engine, const Request& request, Until until,
                              FirstBytes* first, route::TraceSink* trace = nullptr);

/// The rule that decided, by the number that people know it by in its list; -1: none did.
[[nodiscard]] std::int32_t shown_rule(const Decision& decision) noexcept;

/// Whether the flow's record tells of the rule that decided, and of the host that was sniffed.
[[nodiscard]] bool tells_of(const contract::FlowInfo& info, const Decision& decision) noexcept;

/// Whom the client's socket talks to, as its own machine sees it: the destination where we captured
/// it, else us.
[[nodiscard]] Endpoint seen_by_client(const Request& request) noexcept;

/// Fills rule, payload and chains from a decision.
void describe_route(const Decision& decision, contract::FlowInfo& info);
/// The record of a flow at its birth.
void describe_request(const Request& request, contract::FlowInfo& info);

}  // namespace sluice::flow
