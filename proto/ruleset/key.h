// ruleset/key.h - what one flow shows to the rules.
//
// Facts that cost something to learn have states: the destination address (a DNS question) and the
// owner of a flow that this machine itself started (sock_diag for the user id, the helper for the
// process), and the protocol, which the client's first bytes tell. Match asks for them only when a
// decision hangs on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "proto/common/address.h"

namespace sluice::ruleset {

/// Where a fact stands that somebody else must look up.
enum class Known : std::uint8_t {
  none,  ///< there is none (the flow of a LAN client has no process): never asked for
  no,    ///< not looked up yet
  yes,
};

/// Which local process opened the socket. Texts are views that must outlive the Match.
struct Owner {
  Known uid_known = Known::none;
  Known process_known = Known::none;
  std::uint32_t uid = 0;
  std::string_view process_path;  ///< "/usr/bin/curl"; its name is what stands behind the last '/'
};

/// Ethernet address of the source; all zero = not known.
using MacAddress = std::array<std::byte, 6>;

/// Key::dscp: not known, so that no DSCP line matches.
inline constexpr std::uint8_t kNoDscp = 0xff;

/// Key::utc_seconds: read the clock when the first TIME line is reached.
inline constexpr std::int64_t kAskClock = std::numeric_limits<std::int64_t>::min();

/// Views must outlive the Match.
struct Key {
  std::string_view name;  ///< normal form, or empty
  IpAddress destination;  ///< invalid = not known
  IpAddress source;
  std::uint16_t destination_port = 0;
  std::uint16_t source_port = 0;
  Network network = Network::tcp;
  std::uint8_t in_type = 0;  ///< the value of contract::InboundType, 0..31
  std::uint16_t in_port = 0;
  std::uint8_t dscp = kNoDscp;  ///< 0..63
  MacAddress source_mac{};
  std::string_view user;          ///< empty without authentication
  std::string_view inbound_name;  ///< the listener
  std::string_view rematch_name;  ///< set when a flow walks the rules again
  Owner owner;
  Known protocol_known = Known::none;  ///< none: nobody can look at its first bytes
  std::uint8_t protocol = 0;           ///< the value of contract::Protocol, 0..31
  std::int64_t utc_seconds = kAskClock;
};

}  // namespace sluice::ruleset
