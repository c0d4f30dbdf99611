// sniff/answer.h - what a look at a flow's first bytes says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dataplane/sniff/host_name.h"

namespace sluice::sniff {

enum class Protocol : std::uint8_t { none, tls, http, quic, dtls, stun, bittorrent };

/// As rules spell it; empty for none.
[[nodiscard]] std::string_view protocol_name(Protocol protocol) noexcept;

enum class Verdict : std::uint8_t {
  needs_more,  ///< all bytes so far fit, and do not suffice
  found,       ///< final
  nothing,     ///< final: none of the protocols that are known here
};

/// Plain value.
struct Answer {
  Verdict verdict = Verdict::nothing;
  /// found: the protocol. needs_more: the one that these bytes already prove, or none; who stops
  /// waiting may use it.
  Protocol protocol = Protocol::none;
  HostName host;  ///< found: may be empty, for a hello or request that names nobody
  /// needs_more of a stream, sizes of all its bytes: with fewer than `wants` the answer stays as it
  /// is, with `enough` it is final. wants <= enough <= kMaxStream.
  std::size_t wants = 0;
  std::size_t enough = 0;

  static Answer found(Protocol protocol) noexcept {
    Answer out;
    out.verdict = Verdict::found;
    out.protocol = protocol;
    return out;
  }
  static Answer more(Protocol proven, std::size_t wants, std::size_t enough) noexcept {
    Answer out;
    out.verdict = Verdict::needs_more;
    out.protocol = proven;
    out.wants = wants;
    out.enough = enough;
    return out;
  }
};

}  // namespace sluice::sniff
