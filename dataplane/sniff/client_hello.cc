#include "dataplane/sniff/client_hello.h"

#include <array>

#include "dataplane/sniff/limits.h"

namespace sluice::sniff {
namespace {

constexpr std::uint8_t kClientHello = 1;
constexpr std::uint16_t kServerName = 0;
constexpr std::uint8_t kHostNameType = 0;
constexpr std::size_t kRandomSize = 32;
constexpr std::size_t kMaxSessionId = 32;
/// version, random, an empty session id, one cipher suite, one compression method.
constexpr std::size_t kLeastBody = 2 + kRandomSize + 1 + 4 + 2;

/// What a reader that stopped inside a hello means for the answer: a bound takes only the name.
Verdict stopped(const PieceReader& in) noexcept {
  if (in.state() == Piece::State::bounded) return Verdict::found;
  return in.state() == Piece::State::truncated ? Verdict::needs_more : Verdict::nothing;
}

bool version_fits(std::uint16_t version, HelloKind kind) noexcept {
  return (version >> 8) == (kind == HelloKind::tls ? 0x03 : 0xfe);
}

/// Steps over `count` bytes that must end by `end`. False when they do not.
bool skip_within(PieceReader& in, std::size_t count, std::size_t end) noexcept {
  if (!in.good()) return true;
  if (in.position() + count > end) return false;
  in.skip(count);
  return true;
}

/// The parts in front of the extensions. False when one of them has an impossible size. The body
/// has kLeastBody bytes; each part leaves room for the size of the next.
bool skip_to_extensions(PieceReader& in, HelloKind kind, std::size_t end) noexcept {
  const std::uint16_t version = in.u16();
  if (in.good() && !version_fits(version, kind)) return false;
  in.skip(kRandomSize);
  const std::size_t session_size = in.u8();
  if (session_size > kMaxSessionId || !skip_within(in, session_size, end - 3)) return false;
  if (kind == HelloKind::dtls && !skip_within(in, in.u8(), end - 2)) return false;
  const std::size_t suites_size = in.u16();
  if (in.good() && (suites_size == 0 || suites_size % 2 != 0)) return false;
  if (!skip_within(in, suites_size, end - 1)) return false;
  const std::size_t methods_size = in.u8();
  return (!in.good() || methods_size != 0) && skip_within(in, methods_size, end);
}

/// RFC 6066 section 3: list size(2) | { type(1) size(2) name } …, the extension's `size` bytes.
/// True when a host name ended the search; it may be one that is none.
bool read_server_name(PieceReader& in, std::size_t size, HostName& host, bool& garbled) noexcept {
  const std::size_t end = in.position() + size;
  garbled = size < 2 || (in.u16() + std::size_t{2} != size && in.good());
  while (in.good() && !garbled && in.position() < end) {
    garbled = in.position() + 3 > end;
    if (garbled) return false;
    const std::uint8_t type = in.u8();
    const std::size_t name_size = in.u16();
    garbled = in.good() && in.position() + name_size > end;
    if (!in.good() || garbled) return false;
    std::array<std::byte, kMaxName + 1> name;  // with its trailing dot
    if (type == kHostNameType && name_size <= name.size()) {
      const ByteSpan bytes = ByteSpan(name).first(name_size);
      in.copy(bytes);
      if (in.good()) host.assign(as_text(bytes));
      return in.good();
    }
    in.skip(name_size);
    if (type == kHostNameType) return in.good();
  }
  return false;
}

}  // namespace

Verdict read_hello_body(PieceReader& in, HelloKind kind, std::size_t size,
                        HostName& host) noexcept {
  host.clear();
  if (size < kLeastBody) return Verdict::nothing;
  const std::size_t end = in.position() + size;
  if (!skip_to_extensions(in, kind, end)) return Verdict::nothing;
  if (!in.good()) return stopped(in);
  if (in.position() == end) return Verdict::found;  // from before extensions
  if (in.position() + 2 > end) return Verdict::nothing;
  const std::size_t list_size = in.u16();
  if (!in.good()) return stopped(in);
  if (in.position() + list_size != end) return Verdict::nothing;
  for (std::size_t count = 0; in.position() < end; ++count) {
    if (in.position() + 4 > end) return Verdict::nothing;
    if (count == kMaxFields) return Verdict::found;
    const std::uint16_t type = in.u16();
    const std::size_t extension_size = in.u16();
    if (!in.good()) return stopped(in);
    if (in.position() + extension_size > end) return Verdict::nothing;
    if (type == kServerName && extension_size > 0) {
      bool garbled = false;
      const bool ended = read_server_name(in, extension_size, host, garbled);
      if (garbled) return Verdict::nothing;
      if (ended) return Verdict::found;
    } else {
      in.skip(extension_size);
    }
    if (!in.good()) return stopped(in);
  }
  return Verdict::found;
}

HelloMessage read_hello_message(PieceReader& in, HostName& host) noexcept {
  HelloMessage out;
  const std::uint8_t type = in.u8();
  if (in.good() && type != kClientHello) return out;
  const std::size_t size = in.u24();
  if (!in.good()) {
    if (in.state() == Piece::State::truncated) out.verdict = Verdict::needs_more;
    return out;
  }
  out.proven = size >= kLeastBody && size <= kMaxStream;
  if (!out.proven) return out;
  out.end = in.position() + size;
  out.verdict = read_hello_body(in, HelloKind::tls, size, host);
  return out;
}

}  // namespace sluice::sniff
