// sniff/datagram.h - what a UDP flow speaks, from its client's first datagrams.
//
// QUIC and DTLS may need several; STUN and BitTorrent are told by the first one.
//
// Owner: the flow, while it waits for an answer; 5 KiB in place, no allocation. Thread: its
// worker's.
#pragma once

#include <variant>

#include "dataplane/sniff/answer.h"
#include "dataplane/sniff/dtls.h"
#include "dataplane/sniff/quic.h"

namespace sluice::sniff {

class DatagramSniffer {
 public:
  /// The next datagram from the client, in the order of arrival. `opener` is the worker's. After
  /// kMaxDatagrams, or when the hello is longer than kMaxHello, what is proven is found without a
  /// name. A final answer stays: further datagrams are not looked at.
  Answer feed(InitialOpener& opener, ByteView datagram) noexcept;

 private:
  Answer look(InitialOpener& opener, ByteView datagram) noexcept;
  Answer first_look(InitialOpener& opener, ByteView datagram) noexcept;
  [[nodiscard]] bool spent() const noexcept;

  std::variant<std::monostate, QuicHello, DtlsHello> hello_;
  unsigned datagrams_ = 0;
  Answer last_ = Answer::more(Protocol::none, 0, 0);
};

}  // namespace sluice::sniff
