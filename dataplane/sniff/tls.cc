#include "dataplane/sniff/tls.h"

#include <algorithm>

#include "dataplane/sniff/client_hello.h"
#include "dataplane/sniff/limits.h"

namespace sluice::sniff {
namespace {

constexpr std::size_t kRecordHead = 5;
constexpr std::uint8_t kHandshake = 22;

/// RFC 8446 section 5.1: type(1) | 3, minor(2) | size(2). Every byte is judged as it comes, so that
/// another protocol's short greeting is turned away at once.
Piece next_record(ByteView stream, std::size_t at, std::uint32_t) noexcept {
  const ByteView head = stream.subspan(at).first(std::min(kRecordHead, stream.size() - at));
  Reader in{head};
  Piece piece;
  if (!head.empty() && in.u8() != kHandshake) return piece;
  if (head.size() > 1 && in.u8() != 3) return piece;
  if (head.size() > 2 && in.u8() > 4) return piece;
  if (head.size() < kRecordHead) return Piece::truncated(stream.size() + 1);
  piece.size = in.u16be();
  if (piece.size == 0 || piece.size > kMaxRecord) return piece;
  piece.begin = at + kRecordHead;
  piece.next = piece.begin + piece.size;
  piece.state = Piece::State::good;
  return piece;
}

}  // namespace

Answer sniff_tls(ByteView stream) noexcept {
  PieceReader in(stream, 0, next_record);
  Answer out = Answer::found(Protocol::tls);
  const HelloMessage hello = read_hello_message(in, out.host);
  if (hello.verdict == Verdict::found) return out;
  if (hello.verdict == Verdict::nothing) return {};
  if (stream.size() >= kMaxStream) return hello.proven ? out : Answer{};
  const std::size_t enough = hello.proven ? in.holds(hello.end, kMaxStream) : kMaxStream;
  return Answer::more(hello.proven ? Protocol::tls : Protocol::none,
                      std::min(in.wants(), kMaxStream), std::min(enough, kMaxStream));
}

}  // namespace sluice::sniff
