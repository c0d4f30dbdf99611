// helper/commands.h - what the data plane asks of sluice-nft, as plain values and as bytes.
//
//   SOCK_SEQPACKET socketpair, one frame per message, numbers big endian:
//     request  version(1) command(1) id(4) body
//     verdict  version(1) command(1) id(4) errno(4) size(2) text
//
// Each request gets one verdict, in order. A request is one nft transaction: all of it or nothing.
// A body is validated in full before the kernel sees a byte. The helper exits at end of file, and
// the kernel then removes the table that it owns.
//
// Thread: pure functions and plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/helper/limits.h"
#include "proto/common/address.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::nft {

inline constexpr char kTableName[] = "sluice";             ///< family inet, owned
inline constexpr char kGuardTableName[] = "sluice_guard";  ///< family inet, plain: outlives us
inline constexpr std::uint8_t kVersion = 2;

enum class Command : std::uint8_t {
  probe = 1,         ///< does the kernel know every expression that a table may need?
  apply = 2,         ///< body: CaptureTable. Creates or refills the owned table (and the guard)
  dns_redirect = 3,  ///< body: on(1). Fills or empties the chain that redirects LAN port 53
  add_elements = 4,  ///< body: SetElements
  remove_elements = 5,
  remove_guard = 6,  ///< lifts a fail-closed guard, ours or one left by an earlier run
  cleanup = 7,       ///< removes a plain table of our name that somebody left; keeps the guard
  tear_down = 8,     ///< removes the owned table; keeps the guard
};

/// Bits of packet and connection marks. Other bits are always kept.
struct Marks {
  std::uint32_t mask = 0xff00;
  std::uint32_t bypass = 0x100;  ///< packets: our own sockets; let pass plainly while fail-closed
  std::uint32_t tproxy = 0x200;  ///< packets: routed to us. Connections: decided to be captured
  std::uint32_t dns = 0x400;     ///< connections only: redirected to our DNS
  friend bool operator==(const Marks&, const Marks&) = default;
};

/// How TCP reaches the data plane. UDP always comes by TPROXY: redirect loses the client's port.
enum class Mode : std::uint8_t { tproxy = 0, redirect = 1 };

/// One LAN device and the control plane's DNS ports on it; 0 = none.
struct LanDevice {
  std::string name;
  std::uint16_t dns_udp_port = 0;
  std::uint16_t dns_tcp_port = 0;
  friend bool operator==(const LanDevice&, const LanDevice&) = default;
};

/// The whole desired configuration of the owned table.
struct CaptureTable {
  Mode mode = Mode::tproxy;
  bool dns_hijack = false;      ///< LAN port 53 is ours; never captured as a plain flow
  bool dns_redirect = false;    ///< and redirected right now (only with dns_hijack)
  bool router_traffic = false;  ///< capture what this machine itself sends
  bool fail_closed = false;     ///< mark what passes plainly; install the guard
  Marks marks;
  std::uint16_t tcp_port = 0;  ///< TPROXY or redirect listener by `mode`; 0 = TCP passes plainly
  std::vector<std::uint16_t> udp_ports;  ///< one per worker, in worker order; none: UDP passes
  std::vector<LanDevice> lan;
  std::vector<std::uint32_t> exempt_uids;  ///< router traffic of these users is never captured
  std::vector<Prefix> fakes;   ///< disjoint; destinations always captured, whatever bypass says
  std::vector<Prefix> bypass;  ///< disjoint; destinations never captured, fakes excepted
  friend bool operator==(const CaptureTable&, const CaptureTable&) = default;
};

/// Sets that commands fill at run time; they survive `apply`.
enum class SetId : std::uint8_t {
  prefixes = 1,   ///< destinations that pass plainly; an interval set: each commit walks it whole
  addresses = 2,  ///< the same, single addresses (/32, /128); a hash set: cheap beside any other
};

struct SetElements {
  SetId set = SetId::prefixes;
  std::vector<Prefix> prefixes;  ///< disjoint from each other and from what the set holds
  friend bool operator==(const SetElements&, const SetElements&) = default;
};

struct Request {
  Command command = Command::probe;
  std::uint32_t id = 0;
  CaptureTable table;         ///< apply
  SetElements elements;       ///< add_elements, remove_elements
  bool dns_redirect = false;  ///< dns_redirect
};

struct Verdict {
  Command command = Command::probe;
  std::uint32_t id = 0;
  std::int32_t error = 0;  ///< errno; 0 = done
  std::string text;        ///< what failed and why, at most kMaxVerdictText bytes; empty when done
};

/// Writes one request frame. `out` should have kMaxFrameBytes; check overflow().
void encode_request(const Request& request, Writer& out);
/// Errors: truncated, unsupported (version or command), malformed (anything else).
[[nodiscard]] Result<Request> decode_request(ByteView frame);

void encode_verdict(const Verdict& verdict, Writer& out);
/// Errors: truncated, unsupported, malformed.
[[nodiscard]] Result<Verdict> decode_verdict(ByteView frame);

/// "apply", "dns-redirect" ... Static storage.
[[nodiscard]] const char* to_text(Command command) noexcept;

}  // namespace sluice::nft
