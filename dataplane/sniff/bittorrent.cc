#include "dataplane/sniff/bittorrent.h"

#include <algorithm>

namespace sluice::sniff {
namespace {

constexpr std::string_view kHandshake =
    "\x13"
    "BitTorrent protocol";
constexpr std::uint64_t kTrackerMagic = 0x41727101980;
constexpr std::uint8_t kUtpSyn = 0x41;  // type 4, version 1
constexpr unsigned kMaxNesting = 8;     // a message of the DHT has three

/// type and version, extension, connection id(2) | time(4) | time difference(4), 0 | window(4) |
/// sequence(2) acknowledgement(2), 0 | extensions, and no payload. What BEP 29 says of the window
/// and the sequence number of a SYN is not what libtorrent sends.
bool is_utp_syn(ByteView datagram) noexcept {
  Reader in{datagram};
  if (in.u8() != kUtpSyn) return false;
  std::uint8_t extension = in.u8();
  in.skip(2 + 4);
  const std::uint32_t difference = in.u32be();
  in.skip(4 + 2);
  const std::uint16_t acknowledged = in.u16be();
  while (extension != 0 && !in.short_read()) {
    extension = in.u8();
    in.skip(in.u8());
  }
  return !in.short_read() && in.left() == 0 && difference == 0 && acknowledged == 0;
}

bool is_tracker_connect(ByteView datagram) noexcept {
  Reader in{datagram};
  return datagram.size() == 16 && in.u64be() == kTrackerMagic && in.u32be() == 0;
}

/// A bencoded string: digits, a colon, the bytes. Short when there is none.
ByteView read_string(Reader& in) noexcept {
  std::size_t size = 0;
  for (std::size_t digits = 0; digits < 6; ++digits) {
    const char c = static_cast<char>(in.u8());
    if (c == ':' && digits > 0) return in.take(size);
    if (c < '0' || c > '9') break;
    size = size * 10 + static_cast<std::size_t>(c - '0');
  }
  in.skip(in.left() + 1);
  return {};
}

/// One value of any kind. False when it is garbled.
bool skip_value(Reader& in) noexcept {
  unsigned depth = 0;
  do {
    if (in.left() == 0) return false;
    const char c = static_cast<char>(in.rest().front());
    if (c >= '0' && c <= '9') {
      read_string(in);
    } else if (in.skip(1); c == 'i') {
      for (char digit = '0'; digit != 'e' && !in.short_read();) digit = static_cast<char>(in.u8());
    } else if (c == 'd' || c == 'l') {
      if (++depth > kMaxNesting) return false;
    } else if (c != 'e' || depth == 0) {
      return false;
    } else {
      --depth;
    }
  } while (depth > 0 && !in.short_read());
  return !in.short_read();
}

/// One dictionary that fills the datagram and whose "y" is "q", "r" or "e".
bool is_dht_message(ByteView datagram) noexcept {
  Reader in{datagram};
  if (in.u8() != 'd') return false;
  bool typed = false;
  while (in.left() > 1 && !in.short_read()) {
    const std::string_view key = as_text(read_string(in));
    const ByteView before = in.rest();
    if (!skip_value(in)) return false;
    const std::string_view value = as_text(before.first(before.size() - in.left()));
    if (key == "y") typed = value == "1:q" || value == "1:r" || value == "1:e";
  }
  return in.u8() == 'e' && !in.short_read() && typed;
}

}  // namespace

Answer sniff_bittorrent(ByteView stream) noexcept {
  const std::string_view text = as_text(stream.first(std::min(stream.size(), kHandshake.size())));
  if (!kHandshake.starts_with(text)) return {};
  if (text.size() == kHandshake.size()) return Answer::found(Protocol::bittorrent);
  return Answer::more(Protocol::none, text.size() + 1, kHandshake.size());
}

bool is_bittorrent_datagram(ByteView datagram) noexcept {
  return is_utp_syn(datagram) || is_tracker_connect(datagram) || is_dht_message(datagram);
}

}  // namespace sluice::sniff
