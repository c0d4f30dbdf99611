#include "dataplane/sniff/answer.h"

namespace sluice::sniff {

std::string_view protocol_name(Protocol protocol) noexcept {
  switch (protocol) {
    case Protocol::none:
      break;
    case Protocol::tls:
      return "tls";
    case Protocol::http:
      return "http";
    case Protocol::quic:
      return "quic";
    case Protocol::dtls:
      return "dtls";
    case Protocol::stun:
      return "stun";
    case Protocol::bittorrent:
      return "bittorrent";
  }
  return {};
}

}  // namespace sluice::sniff
