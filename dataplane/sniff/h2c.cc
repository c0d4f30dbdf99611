#include "dataplane/sniff/h2c.h"

#include <algorithm>

#include "dataplane/sniff/hpack.h"
#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/pieces.h"

namespace sluice::sniff {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kFrameHead = 9;

enum FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kResetStream = 3,
  kSettings = 4,
  kPushPromise = 5,
  kContinuation = 9
};
enum Flag : std::uint8_t { kAck = 0x01, kEndHeaders = 0x04, kPadded = 0x08, kPriority = 0x20 };

struct Frame {
  std::size_t size = 0;
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
};

/// Needs kFrameHead bytes.
Frame read_frame(ByteView head) noexcept {
  Reader in{head};
  Frame out;
  out.size = std::size_t{in.u8()} << 16;
  out.size |= in.u16be();
  out.type = in.u8();
  out.flags = in.u8();
  out.stream = in.u32be() & 0x7fffffff;
  return out;
}

/// HEADERS or a CONTINUATION of it: what its field block gains. RFC 9113 section 6.2:
/// [pad size(1)] [priority(5)] block [padding]. Both are of one stream (section 6.10).
Piece next_block(ByteView stream, std::size_t at, std::uint32_t owner) noexcept {
  if (stream.size() - at < kFrameHead) return Piece::truncated(at + kFrameHead);
  const Frame frame = read_frame(stream.subspan(at));
  const bool first = owner == 0;
  Piece piece;
  if (frame.type != (first ? kHeaders : kContinuation) || frame.size > kMaxFrame) return piece;
  if (first ? frame.stream % 2 == 0 : frame.stream != owner) return piece;
  std::size_t before = 0;
  std::size_t padding = 0;
  piece.begin = at + kFrameHead;
  piece.next = piece.begin + frame.size;
  if (first && (frame.flags & kPadded) != 0) {
    if (stream.size() == piece.begin) return Piece::truncated(piece.begin + 1);
    before = 1;
    padding = std::to_integer<std::size_t>(stream[piece.begin]);
  }
  if (first && (frame.flags & kPriority) != 0) before += 5;
  if (before + padding > frame.size) return piece;
  piece.begin += before;
  if (piece.begin > stream.size()) return Piece::truncated(piece.begin);
  piece.size = frame.size - before - padding;
  piece.last = (frame.flags & kEndHeaders) != 0;
  piece.owner = frame.stream;
  piece.state = Piece::State::good;
  return piece;
}

/// A frame that a client may send before its first request.
bool may_precede(const Frame& frame, bool first) noexcept {
  if (frame.size > kMaxFrame) return false;
  if (first) return frame.type == kSettings && (frame.flags & kAck) == 0 && frame.stream == 0;
  return frame.type != kData && frame.type != kResetStream && frame.type != kPushPromise &&
         frame.type != kContinuation;
}

Answer read_request(ByteView stream, std::size_t at) noexcept {
  Answer out = Answer::found(Protocol::http);
  PieceReader block(stream, at, next_block);
  const Verdict verdict = read_authority(block, out.host);
  if (verdict == Verdict::found) return out;
  if (verdict == Verdict::nothing) return {};
  if (stream.size() >= kMaxHttp) return Answer::found(Protocol::http);
  return Answer::more(Protocol::http, std::min(block.wants(), kMaxHttp), kMaxHttp);
}

}  // namespace

Answer sniff_h2c(ByteView stream) noexcept {
  stream = stream.first(std::min(stream.size(), kMaxHttp));
  const std::string_view start = as_text(stream.first(std::min(stream.size(), kPreface.size())));
  if (!kPreface.starts_with(start)) return {};
  if (start.size() < kPreface.size())
    return Answer::more(Protocol::none, start.size() + 1, kMaxHttp);
  std::size_t at = kPreface.size();
  for (std::size_t count = 0; count < kMaxFramesBefore; ++count) {
    if (stream.size() < at + kFrameHead) {
      if (stream.size() >= kMaxHttp) break;
      return Answer::more(Protocol::http, std::min(at + kFrameHead, kMaxHttp), kMaxHttp);
    }
    const Frame frame = read_frame(stream.subspan(at));
    if (count > 0 && frame.type == kHeaders) return read_request(stream, at);
    if (!may_precede(frame, count == 0)) return {};
    at += kFrameHead + frame.size;
  }
  return Answer::found(Protocol::http);
}

}  // namespace sluice::sniff
