// sniff/client_hello.h - the server name of a ClientHello (RFC 8446 section 4.1.2, RFC 6347 4.2.1).
//
//   version(2) random(32) | session id | [cookie: DTLS] | cipher suites | compression | extensions
//
// Reading stops at the first host name, so a hello need not be whole to be answered. With ECH
// (extension 0xfe0d) that is the outer name, the one in the clear.
#pragma once

#include "dataplane/sniff/answer.h"
#include "dataplane/sniff/pieces.h"

namespace sluice::sniff {

enum class HelloKind : std::uint8_t { tls, dtls };

/// `in` stands at the body, which has `size` bytes. found: `host` is the name, or empty when the
/// hello has none, or none within the bounds of limits.h. nothing: garbled.
[[nodiscard]] Verdict read_hello_body(PieceReader& in, HelloKind kind, std::size_t size,
                                      HostName& host) noexcept;

struct HelloMessage {
  Verdict verdict = Verdict::nothing;
  bool proven = false;  ///< type and length are those of a hello
  std::size_t end = 0;  ///< proven: the reader's position behind it
};
/// The same behind its head: type(1) = 1 | length(3), as TLS and QUIC carry it.
[[nodiscard]] HelloMessage read_hello_message(PieceReader& in, HostName& host) noexcept;

}  // namespace sluice::sniff
