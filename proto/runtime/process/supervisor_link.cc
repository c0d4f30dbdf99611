#include "proto/runtime/process/supervisor_link.h"

#include <array>
#include <cerrno>

namespace sluice {

namespace {

bool is_known(std::uint8_t operation) noexcept {
  return operation == static_cast<std::uint8_t>(SupervisorOperation::open_config) ||
         operation == static_cast<std::uint8_t>(SupervisorOperation::replace_config);
}

/// Waits for the reply to `request`; late replies to earlier calls that timed out are dropped.
Result<ReceivedMessage> await_reply(int socket, const SupervisorRequest& request, Moment deadline) {
  std::array<std::byte, kSupervisorReplyBytes> room{};
  for (;;) {
    const Millis left = deadline - monotonic_now();
    if (left.count < 0) return fail(Errc::timeout);
    if (Status s = wait_readable(socket, static_cast<int>(left.count)); !s) return fail(s.error());
    Result<ReceivedMessage> message = receive_message(socket, room);
    if (!message) return message;
    if (message->size == 0) return fail(Errc::closed);
    const Result<SupervisorReply> reply = decode_reply(ByteView(room).first(message->size));
    if (!reply) return fail(reply.error());
    if (reply->request != request) continue;
    if (reply->error != 0) return fail_errno(reply->error);
    return message;
  }
}

}  // namespace

void encode_reply(const SupervisorReply& reply, Writer& out) noexcept {
  out.u8(static_cast<std::uint8_t>(reply.request.operation));
  out.u8(reply.request.sequence);
  out.u32be(static_cast<std::uint32_t>(reply.error));
}

Result<SupervisorReply> decode_reply(ByteView bytes) noexcept {
  Reader in{bytes};
  const std::uint8_t operation = in.u8();
  const std::uint8_t sequence = in.u8();
  const std::uint32_t error = in.u32be();
  if (in.short_read()) return fail(Errc::truncated);
  if (in.left() != 0 || !is_known(operation) || error > INT32_MAX) return fail(Errc::malformed);
  return SupervisorReply{{static_cast<SupervisorOperation>(operation), sequence},
                         static_cast<std::int32_t>(error)};
}

Result<SupervisorRequest> decode_request(ByteView bytes) noexcept {
  Reader in{bytes};
  const std::uint8_t operation = in.u8();
  const std::uint8_t sequence = in.u8();
  if (in.short_read()) return fail(Errc::truncated);
  if (in.left() != 0) return fail(Errc::malformed);
  if (!is_known(operation)) return fail(Errc::unsupported);
  return SupervisorRequest{static_cast<SupervisorOperation>(operation), sequence};
}

Result<ReceivedMessage> SupervisorLink::call(SupervisorOperation operation,
                                             std::span<const int> fds, Millis timeout) {
  const Moment deadline = monotonic_now() + timeout;
  const SupervisorRequest request{operation, ++last_sequence_};
  const std::array<std::byte, kSupervisorRequestBytes> wire{
      static_cast<std::byte>(request.operation), static_cast<std::byte>(request.sequence)};
  if (Status s = send_message(socket_.get(), wire, fds); !s) return fail(s.error());
  return await_reply(socket_.get(), request, deadline);
}

Result<UniqueFd> SupervisorLink::open_config(Millis timeout) {
  Result<ReceivedMessage> reply = call(SupervisorOperation::open_config, {}, timeout);
  if (!reply) return fail(reply.error());
  if (reply->fd_count != 1) return fail(Errc::malformed);
  return std::move(reply->fds[0]);
}

Status SupervisorLink::replace_config(int content, Millis timeout) {
  const std::array<int, 1> fds{content};
  const Result<ReceivedMessage> reply = call(SupervisorOperation::replace_config, fds, timeout);
  if (!reply) return fail(reply.error());
  return {};
}

}  // namespace sluice
