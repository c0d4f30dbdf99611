// Hellos and records as a client writes them, for the tests of the decoders.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/common/cursor.h"

namespace sluice::sniff::test {

/// `value` in `count` bytes, big endian.
inline std::string number(std::uint64_t value, int count) {
  std::string out;
  for (int shift = 8 * (count - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift & 0xff);
  return out;
}
/// `bytes` behind their size in `count` bytes.
inline std::string sized(std::string_view bytes, int count) {
  return number(bytes.size(), count).append(bytes);
}
inline std::string extension(int type, std::string_view bytes) {
  return number(static_cast<std::uint64_t>(type), 2) + sized(bytes, 2);
}
inline std::string server_name(std::string_view name) {
  return extension(0, sized(number(0, 1) + sized(name, 2), 2));
}
/// An outer ECH extension (type 0xfe0d): its inner hello is sealed, so any bytes will do.
inline std::string ech() {
  return extension(0xfe0d, number(0, 1) + std::string(200, '\x5a'));
}
/// A body whose extensions are `extensions`; DTLS has a cookie and its own version.
inline std::string hello_body(std::string_view extensions, bool dtls = false) {
  std::string out = dtls ? "\xfe\xfd" : "\x03\x03";
  out += std::string(32, 'r') + sized(std::string(32, 's'), 1);
  if (dtls) out += sized("cookie", 1);
  out += sized("\x13\x01\x13\x02\xc0\x2f", 2) + sized(std::string_view("\0", 1), 1);
  return out + sized(extensions, 2);
}
/// Versions, a key share as long as a post-quantum one, then `more`.
inline std::string hello_message(std::string_view more) {
  const std::string extensions = extension(43, "\x04\x03\x04\x03\x03") +
                                 extension(51, std::string(1222, 'k')) + std::string(more);
  return number(1, 1) + sized(hello_body(extensions), 3);
}
/// `message` in records of at most `most` bytes.
inline std::string records(std::string_view message, std::size_t most = 16'384) {
  std::string out;
  for (; !message.empty(); message.remove_prefix(std::min(most, message.size())))
    out += "\x16\x03\x01" + sized(message.substr(0, most), 2);
  return out;
}

}  // namespace sluice::sniff::test
