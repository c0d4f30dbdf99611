#include "dataplane/sniff/dtls.h"

#include <algorithm>

#include "dataplane/sniff/client_hello.h"

namespace sluice::sniff {
namespace {

constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kClientHello = 1;
constexpr std::uint16_t kVersion10 = 0xfeff;
constexpr std::uint16_t kVersion12 = 0xfefd;

std::uint32_t read_u24(Reader& in) noexcept {
  const std::uint32_t high = in.u8();
  return high << 16 | in.u16be();
}

}  // namespace

bool DtlsHello::take_fragments(ByteView record) noexcept {
  Reader in{record};
  do {
    const std::uint8_t type = in.u8();
    const std::uint32_t size = read_u24(in);
    const std::uint16_t message = in.u16be();
    const std::uint32_t offset = read_u24(in);
    const ByteView part = in.take(read_u24(in));
    if (in.short_read() || type != kClientHello || offset + part.size() > size) return false;
    if (size_ != 0 && message_ == message && size_ != size) return false;
    if (message_ != message) bytes_.clear();
    message_ = message;
    size_ = size;
    bytes_.add(offset, part);
  } while (in.left() > 0);
  return true;
}

bool DtlsHello::take_records(ByteView datagram) noexcept {
  Reader in{datagram};
  for (unsigned count = 0; count < kMaxPackets && in.left() > 0; ++count) {
    const std::uint8_t type = in.u8();
    const std::uint16_t version = in.u16be();
    const std::uint16_t epoch = in.u16be();
    in.skip(6);
    const ByteView record = in.take(in.u16be());
    if (in.short_read() || type != kHandshake || epoch != 0) return false;
    if (version != kVersion10 && version != kVersion12) return false;
    if (!take_fragments(record)) return false;
  }
  return true;
}

Answer DtlsHello::feed(ByteView datagram) noexcept {
  const bool proven = size_ != 0;
  const bool fits = !datagram.empty() && take_records(datagram);
  if (!fits && !proven) return {};
  Answer out = Answer::found(Protocol::dtls);
  const ByteView prefix = bytes_.prefix();
  PieceReader in(prefix.first(std::min<std::size_t>(prefix.size(), size_)));
  out.verdict = read_hello_body(in, HelloKind::dtls, size_, out.host);
  if (out.verdict == Verdict::nothing) return {};
  return out;
}

}  // namespace sluice::sniff
