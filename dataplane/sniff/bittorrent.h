// sniff/bittorrent.h - BitTorrent: the peers' handshake on a stream (BEP 3); uTP (BEP 29), the DHT
// (BEP 5) and UDP trackers (BEP 15) in datagrams. Peers that encrypt their handshake stay unseen.
#pragma once

#include "dataplane/sniff/answer.h"
#include "proto/common/cursor.h"

namespace sluice::sniff {

[[nodiscard]] Answer sniff_bittorrent(ByteView stream) noexcept;

/// A flow's first datagram: a uTP SYN, a message of the DHT, or a connect request to a tracker.
[[nodiscard]] bool is_bittorrent_datagram(ByteView datagram) noexcept;

}  // namespace sluice::sniff
