// route/route.h - the question (what is known about a flow) and the answer (which outbound, why).
//
//   rule target            group            group         leaf
//     "Media"  --choice-->  "HK"  --choice-->  ...  -->  "hk-03"
//   Route::chain = { "hk-03", ..., "HK", "Media" }   leaf first, as users see it
//
// Thread: plain values. A Route's indices are valid for the snapshot that made it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dataplane/route/bounds.h"
#include "proto/common/address.h"
#include "proto/common/name.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/protocol.h"
#include "proto/ruleset/key.h"

namespace sluice::route {

/// No hardware address: nobody's, and no device has it.
inline constexpr std::uint64_t kNoMac = 0;

/// Who holds the client's socket, when the client is a program on this machine.
struct Owner {
  std::optional<std::uint32_t> uid;  ///< absent: no such socket, or nobody could tell in time
  std::string_view process_path;     ///< of the executable, "/usr/bin/curl"; empty: not known
};

/// What is known about a flow when it is decided. Views and pointers must outlive the Matcher.
struct FlowFacts {
  Network network = Network::tcp;
  Endpoint source;
  contract::InboundType inbound_type = contract::InboundType::socks5;
  std::string_view inbound_name;
  std::uint16_t inbound_port = 0;     ///< where the listener listens; 0: it has no port
  std::string_view user;              ///< empty without authentication
  std::string_view rematch_name;      ///< what a REMATCH target named; empty: none did
  std::optional<std::uint8_t> dscp;   ///< 0..63, where the packet's could be read
  std::uint64_t source_mac = kNoMac;  ///< of the source address, in the low 48 bits
  bool local_source = false;          ///< the client is this machine: it may have an Owner
  /// In place of the destination's name, where lines compare names; empty: none was sniffed.
  std::string_view sniffed_host;
  bool can_speak = false;  ///< its first bytes can be looked at: PROTOCOL lines may ask
  std::optional<contract::Protocol> protocol;  ///< looked at already; none: nothing known
  /// UTC for TIME lines, seconds since 1970; by default the clock, read when one is reached.
  std::int64_t utc_seconds = ruleset::kAskClock;
  unsigned worker = 0;  ///< that decides; below the `workers` of build_snapshot()
  const Destination* destination = nullptr;  ///< never null; its ip is a real address or invalid
  std::optional<std::uint32_t> listener_outbound;  ///< contract::Listener::outbound
  std::uint32_t entry = 0;  ///< list to begin with: contract::Listener::rule_entry, else 0
};

/// Why a flow must be refused although a target was found. Such a flow never goes out DIRECT.
enum class Refused : std::uint8_t {
  none,
  not_built,  ///< the leaf's protocol is not part of this build
  no_udp,     ///< UDP, and the listener's or mode's outbound carries none
  pass,       ///< the listener's or mode's outbound is PASS, which only rules understand
  pass_rule,  ///< the same for PASS-RULE
  rematch,    ///< the same for REMATCH
  loop,       ///< REMATCHes lead back to one that this flow took before
};

/// A sentence for logs and close reasons: "the outbound's type is not built". Static storage.
[[nodiscard]] std::string_view describe(Refused why) noexcept;

/// The decision. `leaf` == chain()[0].
struct Route {
  std::int32_t rule_index = -1;  ///< position in the manifest; -1: listener, mode, nothing matched
  std::uint32_t leaf = 0;        ///< never a group
  Refused refused = Refused::none;
  std::uint8_t chain_count = 0;
  std::array<std::uint32_t, kMaxChain> chain_items{};

  /// Outbound indices, leaf first, the rule's own target last. At least one.
  [[nodiscard]] std::span<const std::uint32_t> chain() const noexcept {
    return std::span(chain_items).first(chain_count);
  }
};

}  // namespace sluice::route
