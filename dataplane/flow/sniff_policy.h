// flow/sniff_policy.h - which flows are looked at before their rules, and what the answer changes.
//
//   sniffer on ─ a way in that does not say more than an address ─ a port of `sniff` ─ an answer
//   that rules or the dial could use ─ a destination that is asked behind ─ nobody's exception
//
// Lines by PROTOCOL ask by themselves, when they are reached (route/matcher.h).
//
// Pure; thread: any.
#pragma once

#include <cstdint>
#include <string_view>

#include "dataplane/flow/decide.h"
#include "dataplane/flow/first_bytes.h"

namespace sluice::flow {

struct SniffPlan {
  bool look = false;
  std::string_view why;  ///< not, half a sentence; static storage
};

/// What is known of a flow before its first bytes are.
struct Unheard {
  const Request& request;
  const Destination& destination;  ///< with the name that was restored
  contract::DnsMode dns_mode;
  bool lost = false;  ///< a fake address without a name: only its bytes can tell where it goes
};

[[nodiscard]] SniffPlan plan_look(const route::Snapshot& snapshot, const Unheard& flow);

/// What a look changes.
struct SniffUse {
  bool rules = false;  ///< compare the host
  bool dial = false;   ///< goes to the host
  std::string_view why;
};

[[nodiscard]] SniffUse use_of(const route::Snapshot& snapshot, const Request& request,
                              const Spoken& spoken);

/// What names a host on this port when nobody says what: for explain.
[[nodiscard]] contract::Protocol usual_protocol(const contract::Sniffer& sniffer, Network network,
                                                std::uint16_t port) noexcept;

}  // namespace sluice::flow
