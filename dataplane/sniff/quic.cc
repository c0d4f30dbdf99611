#include "dataplane/sniff/quic.h"

#include <algorithm>

#include "dataplane/sniff/client_hello.h"
#include "dataplane/sniff/quic_frames.h"

namespace sluice::sniff {

bool QuicHello::keyed_for(const LongPacket& packet) const noexcept {
  return proven_ && version_ == packet.version &&
         std::ranges::equal(ByteView(dcid_).first(dcid_size_), packet.dcid);
}

Result<ByteView> QuicHello::open(InitialOpener& opener, const LongPacket& packet) noexcept {
  if (proven_ && version_ == packet.version) {
    const auto opened = opener.open(keys_, packet);
    if (opened || keyed_for(packet)) return opened;
  }
  return open_anew(opener, packet);
}

Result<ByteView> QuicHello::open_anew(InitialOpener& opener, const LongPacket& packet) noexcept {
  const auto keys = client_initial_keys(packet.version, packet.dcid);
  if (!keys) return fail(keys.error());
  const auto opened = opener.open(*keys, packet);
  if (!opened) return opened;
  // The hello begins at offset 0 again, and need not be the same one.
  bytes_.clear();
  keys_ = *keys;
  version_ = packet.version;
  dcid_size_ = static_cast<std::uint8_t>(packet.dcid.size());
  std::ranges::copy(packet.dcid, dcid_.begin());
  proven_ = true;
  return opened;
}

Answer QuicHello::look() const noexcept {
  Answer out = Answer::found(Protocol::quic);
  PieceReader in(bytes_.prefix());
  out.verdict = read_hello_message(in, out.host).verdict;
  if (out.verdict == Verdict::nothing) return {};
  return out;
}

Answer QuicHello::feed(InitialOpener& opener, ByteView datagram) noexcept {
  bool fits = proven_;
  for (unsigned count = 0; count < kMaxPackets && !datagram.empty(); ++count) {
    const auto packet = take_packet(datagram);
    if (!packet) break;  // a short header, or padding behind the last packet
    if (packet->type == LongPacket::Type::retry) break;  // servers alone send it
    if (packet->type != LongPacket::Type::initial) {
      fits = fits || packet->type == LongPacket::Type::zero_rtt;
      continue;
    }
    const auto frames = open(opener, *packet);
    if (!frames) continue;
    if (!take_crypto_frames(*frames, bytes_)) return {};
    fits = true;
  }
  if (proven_) return look();
  // 0-RTT may overtake the Initial that it came with.
  return fits ? Answer::more(Protocol::none, 0, 0) : Answer{};
}

}  // namespace sluice::sniff
