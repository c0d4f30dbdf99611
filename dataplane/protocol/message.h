// protocol/message.h - one message of a handshake, in or out, however many reads or writes it
// takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dataplane/transport/end.h"
#include "proto/common/cursor.h"

namespace sluice {

/// A message and how many bytes of the queue it took. Its views point into the queue: use them
/// before consuming.
template <class Message>
struct Received {
  Message message{};
  std::size_t size = 0;
};

/// Reads until `decode` finds a whole message at the front of `in`, which keeps the bytes.
/// `max_size` bounds one message (at most kBlockRoom).
/// Errors: those of `decode` and of transport::fill_to; too_large.
template <class Message>
Task<Result<Received<Message>>> read_message(transport::End& end, SliceQueue& in,
                                             std::size_t max_size,
                                             Result<Message> (*decode)(Reader&), Until until) {
  for (;;) {
    const Result<ByteSpan> bytes =
        co_await transport::fill_to(end, in, std::min(in.size(), max_size), until);
    if (!bytes) co_return fail(bytes.error());
    Reader reader{*bytes};
    const Result<Message> message = decode(reader);
    if (message) co_return Received<Message>{*message, reader.position()};
    if (message.error().code != Errc::truncated) co_return fail(message.error());
    if (in.size() >= max_size) co_return fail(Errc::too_large);
    const Status more = co_await transport::fill(end, in, until);
    if (!more) co_return fail(more.error());
  }
}

/// `encode(Writer&)` writes at most `max_size` bytes (at most one block). Errors: no_room for the
/// slice, too_large.
template <class Encode>
Result<SliceQueue> encode_message(transport::End& end, std::size_t max_size, const Encode& encode) {
  Result<Slice> slice = Slice::make(end.pool(), end.headroom());
  if (!slice) return fail(slice.error());
  const ByteSpan room = slice->room();
  Writer out{room.first(std::min(max_size, room.size()))};
  encode(out);
  if (out.overflow()) return fail(Errc::too_large);
  slice->grow(out.size());
  SliceQueue queue;
  queue.push_back(std::move(*slice));
  return queue;
}

/// Encodes one message and waits until the socket has taken it. `encode` is called again after an
/// empty pool. Errors: too_large, and those of transport::send.
template <class Encode>
Task<Status> send_message(transport::End& end, std::size_t max_size, Encode encode, Until until) {
  Result<SliceQueue> bytes = encode_message(end, max_size, encode);
  while (!bytes && bytes.error().code == Errc::no_room) {
    const Status rested = co_await transport::wait_for_slices(end.loop(), until);
    if (!rested) co_return rested;
    bytes = encode_message(end, max_size, encode);
  }
  if (!bytes) co_return fail(bytes.error());
  Task<Status> sending = transport::send(end, std::move(*bytes), until);
  const Status sent = co_await sending;
  co_return sent;
}

}  // namespace sluice
