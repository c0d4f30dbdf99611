#include "dataplane/sniff/datagram.h"

#include "dataplane/sniff/bittorrent.h"
#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/stun.h"

namespace sluice::sniff {

Answer DatagramSniffer::first_look(InitialOpener& opener, ByteView datagram) noexcept {
  if (is_stun(datagram)) return Answer::found(Protocol::stun);
  if (is_bittorrent_datagram(datagram)) return Answer::found(Protocol::bittorrent);
  if (is_long_header(datagram)) return hello_.emplace<QuicHello>().feed(opener, datagram);
  if (is_dtls_handshake(datagram)) return hello_.emplace<DtlsHello>().feed(datagram);
  return {};
}

Answer DatagramSniffer::look(InitialOpener& opener, ByteView datagram) noexcept {
  if (auto* const quic = std::get_if<QuicHello>(&hello_)) return quic->feed(opener, datagram);
  if (auto* const dtls = std::get_if<DtlsHello>(&hello_)) return dtls->feed(datagram);
  return first_look(opener, datagram);
}

bool DatagramSniffer::spent() const noexcept {
  if (datagrams_ >= kMaxDatagrams) return true;
  const auto* const quic = std::get_if<QuicHello>(&hello_);
  const auto* const dtls = std::get_if<DtlsHello>(&hello_);
  return quic != nullptr ? quic->full() : dtls != nullptr && dtls->full();
}

Answer DatagramSniffer::feed(InitialOpener& opener, ByteView datagram) noexcept {
  if (last_.verdict != Verdict::needs_more) return last_;
  ++datagrams_;
  last_ = look(opener, datagram);
  if (last_.verdict == Verdict::needs_more && spent())
    last_ = last_.protocol == Protocol::none ? Answer{} : Answer::found(last_.protocol);
  return last_;
}

}  // namespace sluice::sniff
