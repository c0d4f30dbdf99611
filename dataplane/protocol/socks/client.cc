#include "dataplane/protocol/socks/client.h"

#include <utility>

#include "dataplane/protocol/message.h"
#include "dataplane/protocol/socks/packet_end.h"

namespace sluice::socks {
namespace {

std::unexpected<Error> server_fault(Error error) noexcept {
  if (error.code != Errc::cancelled && error.code != Errc::no_room) error.side = Side::upstream;
  return fail(error);
}

void encode_greeting(bool with_password, Writer& out) noexcept {
  out.u8(static_cast<std::uint8_t>(Version::socks5));
  out.u8(with_password ? 2 : 1);
  out.u8(static_cast<std::uint8_t>(Method::none));
  if (with_password) out.u8(static_cast<std::uint8_t>(Method::user_password));
}

Task<Status> send_password(transport::End& end, SliceQueue& in, ClientOptions options,
                           Until until) {
  Status fits;
  const auto encode = [&options, &fits](Writer& out) {
    fits = encode_user_password(options.user, options.password, out);
  };
  Task<Status> sending = send_message(end, kMaxUserPassword, encode, until);
  const Status sent = co_await sending;
  if (!fits) co_return fits;
  if (!sent) co_return server_fault(sent.error());
  const Result<Received<AuthOk>> status =
      co_await read_message(end, in, 2, &decode_auth_status, until);
  if (!status) co_return server_fault(status.error());
  in.consume(status->size);
  co_return Status{};
}

Task<Status> authenticate(transport::End& end, SliceQueue& in, ClientOptions options, Until until) {
  const bool with_password = options.has_credentials();
  const auto encode = [with_password](Writer& out) { encode_greeting(with_password, out); };
  Task<Status> sending = send_message(end, 4, encode, until);
  const Status sent = co_await sending;
  if (!sent) co_return server_fault(sent.error());
  const Result<Received<Method>> method = co_await read_message(end, in, 2, &decode_method, until);
  if (!method) co_return server_fault(method.error());
  in.consume(method->size);
  if (method->message == Method::none) co_return Status{};
  if (method->message != Method::user_password || !with_password)
    co_return fail(Errc::auth_failed, Side::upstream);
  Task<Status> checking = send_password(end, in, options, until);
  const Status checked = co_await checking;
  co_return checked;
}

/// The whole handshake; the address of the reply. What came behind the reply stays in `in`.
Task<Result<Endpoint>> request(transport::End& end, SliceQueue& in, Command command,
                               const Destination& to, ClientOptions options, Until until) {
  const Status authenticated = co_await authenticate(end, in, options, until);
  if (!authenticated) co_return fail(authenticated.error());
  const auto encode = [command, &to](Writer& out) { encode_request(command, to, out); };
  Task<Status> sending = send_message(end, kMaxRequest, encode, until);
  const Status sent = co_await sending;
  if (!sent) co_return server_fault(sent.error());
  const Result<Received<ReplyMessage>> reply =
      co_await read_message(end, in, kMaxReply, &decode_reply, until);
  if (!reply) co_return server_fault(reply.error());
  const Reply code = reply->message.code;
  const Endpoint bound = to_endpoint(reply->message.bound);
  in.consume(reply->size);
  if (code != Reply::succeeded) co_return fail(error_for(code));
  co_return bound;
}

}  // namespace

Task<Status> connect_through(transport::End& end, const Destination& to, ClientOptions options,
                             Until until) {
  SliceQueue in;
  Task<Result<Endpoint>> requesting = request(end, in, Command::connect, to, options, until);
  const Result<Endpoint> bound = co_await requesting;
  if (!bound) co_return fail(bound.error());
  if (!in.empty()) end.unread(std::move(in));
  co_return Status{};
}

Task<Result<std::unique_ptr<transport::PacketEnd>>> associate_through(
    std::unique_ptr<transport::End> control, ClientOptions options, DatagramBatch& batch,
    DialOptions dial, Until until) {
  SliceQueue in;
  Destination any;
  any.ip = IpAddress::v4(0);
  Task<Result<Endpoint>> requesting =
      request(*control, in, Command::udp_associate, any, options, until);
  const Result<Endpoint> bound = co_await requesting;
  if (!bound) co_return fail(bound.error());
  Endpoint relay = *bound;
  if (!relay.ip.valid() || relay.ip.is_unspecified()) relay.ip = control->remote().ip;
  Result<Socket> socket = transport::connect_udp(control->loop(), relay, dial);
  if (!socket) co_return fail(socket.error());
  std::unique_ptr<transport::PacketEnd> end =
      std::make_unique<PacketEnd>(std::move(control), std::move(*socket), relay, batch);
  co_return std::move(end);
}

}  // namespace sluice::socks
