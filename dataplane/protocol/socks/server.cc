#include "dataplane/protocol/socks/server.h"

#include <utility>

#include "dataplane/protocol/message.h"

namespace sluice::socks {
namespace {

std::unexpected<Error> client_fault(Error error) noexcept {
  error.side = Side::client;
  return fail(error);
}

/// Method::unacceptable when the client offers nothing that will do, or nothing will.
Method choose_method(const Greeting& greeting, const ServerOptions& options) noexcept {
  if (options.closed) return Method::unacceptable;
  const bool password = greeting.offers(Method::user_password);
  if (options.credentials.required())
    return password ? Method::user_password : Method::unacceptable;
  if (options.any_user && password) return Method::user_password;
  if (greeting.offers(Method::none)) return Method::none;
  return password ? Method::user_password : Method::unacceptable;
}

/// Two bytes: a version, and a method or status.
Task<Status> send_pair(transport::End& end, std::uint8_t version, std::uint8_t value, Until until) {
  const auto encode = [version, value](Writer& out) {
    out.u8(version);
    out.u8(value);
  };
  Task<Status> sending = send_message(end, 2, encode, until);
  const Status sent = co_await sending;
  co_return sent;
}

/// RFC 1929; the name that was accepted.
Task<Result<std::string>> check_password(transport::End& end, SliceQueue& in,
                                         const ServerOptions& options, Until until) {
  const Result<Received<UserPassword>> got =
      co_await read_message(end, in, kMaxUserPassword, &decode_user_password, until);
  if (!got) co_return client_fault(got.error());
  std::string user(as_text(got->message.user));
  const bool good = !options.credentials.required() ||
                    options.credentials.matches(user, as_text(got->message.password));
  in.consume(got->size);
  const Status sent = co_await send_pair(end, 1, good ? 0 : 1, until);
  if (!good) co_return fail(Errc::auth_failed, Side::client);
  if (!sent) co_return client_fault(sent.error());
  const bool known = options.credentials.required() || options.any_user;
  co_return known ? std::move(user) : std::string();
}

Task<Result<std::string>> authenticate(transport::End& end, SliceQueue& in,
                                       const ServerOptions& options, Until until) {
  const Result<Received<Greeting>> got =
      co_await read_message(end, in, kMaxGreeting, &decode_greeting, until);
  if (!got) co_return client_fault(got.error());
  const Method method = choose_method(got->message, options);
  in.consume(got->size);
  const Status sent = co_await send_pair(end, static_cast<std::uint8_t>(Version::socks5),
                                         static_cast<std::uint8_t>(method), until);
  if (!sent) co_return client_fault(sent.error());
  if (method == Method::unacceptable) co_return fail(Errc::auth_failed, Side::client);
  if (method == Method::none) co_return std::string();
  Task<Result<std::string>> checking = check_password(end, in, options, until);
  Result<std::string> user = co_await checking;
  co_return user;
}

bool offered(Command command, const ServerOptions& options) noexcept {
  switch (command) {
    case Command::connect:
      return true;
    case Command::udp_associate:
      return options.udp;
    case Command::framed_datagrams:
      return options.framed;
    default:
      return false;
  }
}

/// Says why in the protocol's words; `error` stays the reason.
Task<Result<ServerRequest>> refuse(transport::End& end, Version version, Reply code, Error error,
                                   Until until) {
  const auto encode = [version, code](Writer& out) {
    if (version == Version::socks4) {
      encode_reply4(code == Reply::not_allowed ? Reply4::user_mismatch : Reply4::rejected, out);
    } else {
      encode_reply(code, Endpoint{}, out);
    }
  };
  Task<Status> sending = send_message(end, kMaxReply, encode, until);
  (void)co_await sending;
  co_return client_fault(error);
}

Task<Result<ServerRequest>> accept_socks5(transport::End& end, SliceQueue& in,
                                          const ServerOptions& options, Until until) {
  Task<Result<std::string>> authentication = authenticate(end, in, options, until);
  Result<std::string> user = co_await authentication;
  if (!user) co_return fail(user.error());
  const Result<Received<Request>> got =
      co_await read_message(end, in, kMaxRequest, &decode_request, until);
  if (!got && got.error().code == Errc::unsupported) {
    Task<Result<ServerRequest>> refusing =
        refuse(end, Version::socks5, Reply::address_unsupported, got.error(), until);
    co_return co_await refusing;
  }
  if (!got) co_return client_fault(got.error());
  ServerRequest request;
  request.command = got->message.command;
  request.user = std::move(*user);
  Result<Destination> to = to_destination(got->message.address);
  in.consume(got->size);
  const bool known = offered(request.command, options);
  if (!known || !to) {
    const Error why = known ? to.error() : Error{Errc::unsupported};
    const Reply code = known ? Reply::address_unsupported : Reply::command_unsupported;
    Task<Result<ServerRequest>> refusing = refuse(end, Version::socks5, code, why, until);
    co_return co_await refusing;
  }
  request.to = std::move(*to);
  co_return std::move(request);
}

Result<Destination> destination4(const Request4& request) {
  if (!request.name.empty()) return Destination::from_host(as_text(request.name), request.port);
  Destination to;
  to.ip = request.ip;
  to.port = request.port;
  return to;
}

Task<Result<ServerRequest>> accept_socks4(transport::End& end, SliceQueue& in,
                                          const ServerOptions& options, Until until) {
  const Result<Received<Request4>> got =
      co_await read_message(end, in, kMaxRequest4, &decode_request4, until);
  if (!got) co_return client_fault(got.error());
  ServerRequest request;
  request.version = Version::socks4;
  request.command = got->message.command;
  request.user = as_text(got->message.user);
  Result<Destination> to = destination4(got->message);
  in.consume(got->size);
  // SOCKS4 has no password: only a user without one can be meant.
  const bool wrong_user = options.closed || (options.credentials.required() &&
                                             !options.credentials.matches(request.user, {}));
  if (wrong_user || !to || request.command != Command::connect) {
    const Error why{wrong_user ? Errc::auth_failed : !to ? to.error().code : Errc::unsupported};
    const Reply code = wrong_user ? Reply::not_allowed : Reply::general_failure;
    Task<Result<ServerRequest>> refusing = refuse(end, Version::socks4, code, why, until);
    co_return co_await refusing;
  }
  if (!options.credentials.required() && !options.any_user) request.user.clear();
  request.to = std::move(*to);
  co_return std::move(request);
}

}  // namespace

Task<Result<ServerRequest>> accept_socks(transport::End& end, SliceQueue& in,
                                         const ServerOptions& options, Until until) {
  const Result<ByteSpan> first = co_await transport::fill_to(end, in, 1, until);
  if (!first) co_return client_fault(first.error());
  const auto version = static_cast<Version>(first->front());
  Task<Result<ServerRequest>> accepting = version == Version::socks4
                                              ? accept_socks4(end, in, options, until)
                                              : accept_socks5(end, in, options, until);
  co_return co_await accepting;
}

Task<Status> send_reply(transport::End& end, Version version, Error outcome, Endpoint bound,
                        Until until) {
  const auto encode = [version, outcome, bound](Writer& out) {
    if (version == Version::socks5) {
      encode_reply(reply_for(outcome), bound, out);
    } else {
      encode_reply4(outcome.code == Errc::none ? Reply4::granted : Reply4::rejected, out);
    }
  };
  Task<Status> sending = send_message(end, kMaxReply, encode, until);
  const Status sent = co_await sending;
  co_return sent;
}

}  // namespace sluice::socks
