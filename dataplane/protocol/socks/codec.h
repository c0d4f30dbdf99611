// socks/codec.h - the messages of SOCKS5 (RFC 1928, RFC 1929) and SOCKS4/4a, bytes to views and
// back.
//
// Pure functions; decoders want a message at the front of their reader. Errors of all: truncated
// (read more), unsupported (another version or address type), malformed (close).
#pragma once

#include <cstdint>

#include "dataplane/protocol/socks_address/socks_address.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::socks {

enum class Version : std::uint8_t { socks4 = 4, socks5 = 5 };

enum class Command : std::uint8_t {
  connect = 1,
  bind = 2,
  udp_associate = 3,
  /// Private to dial.sock: after the reply, length-framed datagrams on the same stream.
  framed_datagrams = 0x83,
};

enum class Method : std::uint8_t { none = 0, user_password = 2, unacceptable = 0xff };

/// SOCKS5: 05 | n | methods(n), n >= 1.
struct Greeting {
  ByteView methods;
  [[nodiscard]] bool offers(Method method) const noexcept;
};
inline constexpr std::size_t kMaxGreeting = 2 + 255;
[[nodiscard]] Result<Greeting> decode_greeting(Reader& in) noexcept;

/// Server's choice: 05 | method.
[[nodiscard]] Result<Method> decode_method(Reader& in) noexcept;

/// RFC 1929: 01 | n | user(n) | m | password(m). Empty fields occur in the field and are compared.
struct UserPassword {
  ByteView user;
  ByteView password;
};
inline constexpr std::size_t kMaxUserPassword = 3 + 255 + 255;
[[nodiscard]] Result<UserPassword> decode_user_password(Reader& in) noexcept;
/// Errors: too_large (a field over 255 bytes).
[[nodiscard]] Status encode_user_password(std::string_view user, std::string_view password,
                                          Writer& out) noexcept;
/// Server's answer: 01 | status; auth_failed when it is not 0.
struct AuthOk {};
[[nodiscard]] Result<AuthOk> decode_auth_status(Reader& in) noexcept;

/// SOCKS5: 05 | command | reserved | address. The reserved byte is ignored: peers fill it.
struct Request {
  Command command = Command::connect;
  Address address;
};
inline constexpr std::size_t kMaxRequest = 3 + kMaxAddress;
[[nodiscard]] Result<Request> decode_request(Reader& in) noexcept;
void encode_request(Command command, const Destination& to, Writer& out) noexcept;

/// RFC 1928 section 6.
enum class Reply : std::uint8_t {
  succeeded = 0,
  general_failure = 1,
  not_allowed = 2,
  network_unreachable = 3,
  host_unreachable = 4,
  refused = 5,
  ttl_expired = 6,
  command_unsupported = 7,
  address_unsupported = 8,
};
struct ReplyMessage {
  Reply code = Reply::succeeded;
  Address bound;
};
inline constexpr std::size_t kMaxReply = 3 + kMaxAddress;
[[nodiscard]] Result<ReplyMessage> decode_reply(Reader& in) noexcept;
void encode_reply(Reply code, const Endpoint& bound, Writer& out) noexcept;

/// The reply that tells a client most about `error`.
[[nodiscard]] Reply reply_for(const Error& error) noexcept;
/// What a server's refusal means to us: side upstream, the code in `detail`.
[[nodiscard]] Error error_for(Reply code) noexcept;

/// SOCKS4: 04 | command | port | ip | user 00; 4a when ip is 0.0.0.x, x != 0: | name 00.
struct Request4 {
  Command command = Command::connect;
  std::uint16_t port = 0;
  IpAddress ip;   ///< meaningless when `name` is not empty
  ByteView user;  ///< 0..255 bytes
  ByteView name;  ///< 4a: 1..255 bytes
};
inline constexpr std::size_t kMaxRequest4 = 8 + 256 + 256;
/// Errors: also too_large (a field over 255 bytes).
[[nodiscard]] Result<Request4> decode_request4(Reader& in) noexcept;

enum class Reply4 : std::uint8_t { granted = 0x5a, rejected = 0x5b, user_mismatch = 0x5d };
void encode_reply4(Reply4 code, Writer& out) noexcept;

}  // namespace sluice::socks
