#include "dataplane/protocol/socks/codec.h"

#include <algorithm>

namespace sluice::socks {
namespace {

constexpr std::uint8_t kAuthVersion = 1;
constexpr std::size_t kMaxField = 255;

bool wrong_version(Reader& in, Version wanted) noexcept {
  const std::uint8_t version = in.u8();
  return !in.short_read() && version != static_cast<std::uint8_t>(wanted);
}

/// A field that ends with NUL, without it.
Result<ByteView> take_text(Reader& in) noexcept {
  const ByteView rest = in.rest();
  const ByteView window = rest.first(std::min(rest.size(), kMaxField + 1));
  const auto nul = std::ranges::find(window, std::byte{0});
  if (nul == window.end())
    return fail(window.size() > kMaxField ? Errc::too_large : Errc::truncated);
  const ByteView field = in.take(static_cast<std::size_t>(nul - window.begin()));
  in.skip(1);
  return field;
}

}  // namespace

bool Greeting::offers(Method method) const noexcept {
  return std::ranges::find(methods, static_cast<std::byte>(method)) != methods.end();
}

Result<Greeting> decode_greeting(Reader& in) noexcept {
  if (wrong_version(in, Version::socks5)) return fail(Errc::unsupported);
  const std::uint8_t count = in.u8();
  if (in.short_read()) return fail(Errc::truncated);
  if (count == 0) return fail(Errc::malformed);
  const Greeting greeting{in.take(count)};
  if (in.short_read()) return fail(Errc::truncated);
  return greeting;
}

Result<Method> decode_method(Reader& in) noexcept {
  if (wrong_version(in, Version::socks5)) return fail(Errc::unsupported);
  const auto method = static_cast<Method>(in.u8());
  if (in.short_read()) return fail(Errc::truncated);
  return method;
}

Result<UserPassword> decode_user_password(Reader& in) noexcept {
  const std::uint8_t version = in.u8();
  if (!in.short_read() && version != kAuthVersion) return fail(Errc::unsupported);
  UserPassword out;
  out.user = in.take(in.u8());
  out.password = in.take(in.u8());
  if (in.short_read()) return fail(Errc::truncated);
  return out;
}

Status encode_user_password(std::string_view user, std::string_view password,
                            Writer& out) noexcept {
  if (user.size() > kMaxField || password.size() > kMaxField) return fail(Errc::too_large);
  out.u8(kAuthVersion);
  out.u8(static_cast<std::uint8_t>(user.size()));
  out.text(user);
  out.u8(static_cast<std::uint8_t>(password.size()));
  out.text(password);
  return {};
}

Result<AuthOk> decode_auth_status(Reader& in) noexcept {
  const std::uint8_t version = in.u8();
  const std::uint8_t status = in.u8();
  if (in.short_read()) return fail(Errc::truncated);
  if (version != kAuthVersion) return fail(Errc::malformed);
  if (status != 0) return fail(Errc::auth_failed, Side::upstream);
  return AuthOk{};
}

Result<Request> decode_request(Reader& in) noexcept {
  if (wrong_version(in, Version::socks5)) return fail(Errc::malformed);
  Request request;
  request.command = static_cast<Command>(in.u8());
  in.skip(1);
  if (in.short_read()) return fail(Errc::truncated);
  const auto address = decode_address(in);
  if (!address) return fail(address.error());
  request.address = *address;
  return request;
}

void encode_request(Command command, const Destination& to, Writer& out) noexcept {
  out.u8(static_cast<std::uint8_t>(Version::socks5));
  out.u8(static_cast<std::uint8_t>(command));
  out.u8(0);
  encode_address(to, out);
}

Result<ReplyMessage> decode_reply(Reader& in) noexcept {
  if (wrong_version(in, Version::socks5)) return fail(Errc::malformed);
  ReplyMessage reply;
  reply.code = static_cast<Reply>(in.u8());
  in.skip(1);
  if (in.short_read()) return fail(Errc::truncated);
  const auto bound = decode_address(in);
  if (!bound) return fail(bound.error());
  reply.bound = *bound;
  return reply;
}

void encode_reply(Reply code, const Endpoint& bound, Writer& out) noexcept {
  out.u8(static_cast<std::uint8_t>(Version::socks5));
  out.u8(static_cast<std::uint8_t>(code));
  out.u8(0);
  encode_address(bound, out);
}

Reply reply_for(const Error& error) noexcept {
  switch (error.code) {
    case Errc::none:
      return Reply::succeeded;
    case Errc::denied:
    case Errc::loop:
    case Errc::auth_failed:
      return Reply::not_allowed;
    case Errc::unreachable:
      return Reply::network_unreachable;
    case Errc::no_address:
    case Errc::timeout:
      return Reply::host_unreachable;
    case Errc::refused:
      return Reply::refused;
    case Errc::unsupported:
      return Reply::command_unsupported;
    case Errc::malformed:
      return Reply::address_unsupported;
    default:
      return Reply::general_failure;
  }
}

Error error_for(Reply code) noexcept {
  Errc meaning = Errc::refused;
  switch (code) {
    case Reply::succeeded:
      return {};
    case Reply::not_allowed:
      meaning = Errc::denied;
      break;
    case Reply::network_unreachable:
    case Reply::host_unreachable:
      meaning = Errc::unreachable;
      break;
    case Reply::ttl_expired:
      meaning = Errc::timeout;
      break;
    case Reply::command_unsupported:
    case Reply::address_unsupported:
      meaning = Errc::unsupported;
      break;
    default:
      break;
  }
  return Error{meaning, Side::upstream, static_cast<std::uint16_t>(code), 0};
}

Result<Request4> decode_request4(Reader& in) noexcept {
  if (wrong_version(in, Version::socks4)) return fail(Errc::unsupported);
  Request4 request;
  request.command = static_cast<Command>(in.u8());
  request.port = in.u16be();
  request.ip = IpAddress::v4(in.u32be());
  if (in.short_read()) return fail(Errc::truncated);
  const auto user = take_text(in);
  if (!user) return fail(user.error());
  request.user = *user;
  const std::uint32_t ip = request.ip.v4_value();
  if (ip == 0 || ip > 255) return request;
  const auto name = take_text(in);
  if (!name) return fail(name.error());
  if (name->empty()) return fail(Errc::malformed);
  request.name = *name;
  return request;
}

void encode_reply4(Reply4 code, Writer& out) noexcept {
  out.u8(0);
  out.u8(static_cast<std::uint8_t>(code));
  out.u16be(0);
  out.u32be(0);
}

}  // namespace sluice::socks
