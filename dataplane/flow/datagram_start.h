// flow/datagram_start.h - the first datagrams of a client's destination, looked at while they are
// kept.
//
// STUN and BitTorrent are told by the first one; a hello of QUIC or DTLS may need several. Bounds:
// kSniffDatagrams, and as many as are kept anyway (kOpeningPackets).
//
// Owner: the coroutine that opens the destination. Thread: its worker.
#pragma once

#include <vector>

#include "dataplane/flow/first_bytes.h"
#include "proto/runtime/buffer/slice.h"

namespace sluice::flow {

class DatagramStart final : public ClientStart {
 public:
  /// Both outlive this: `kept` grows meanwhile and is left as it is.
  DatagramStart(Engine& engine, std::vector<Slice>& kept, const Destination& to) noexcept
      : ClientStart(engine, Network::udp, to), kept_(kept), arrived_(engine.worker().loop()) {}
  DatagramStart(const DatagramStart&) = delete;
  DatagramStart& operator=(const DatagramStart&) = delete;

  /// One more is kept.
  void arrived() noexcept { arrived_.set(); }

 private:
  Task<Result<Spoken>> listen(Until until) override;

  std::vector<Slice>& kept_;
  Event arrived_;
};

}  // namespace sluice::flow
