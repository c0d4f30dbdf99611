// Fuzz: SOCKS messages. What decodes must encode and decode again to the same.
#include <array>
#include <cstdint>
#include <cstdlib>

#include "dataplane/protocol/socks/codec.h"

namespace {

using namespace sluice;
using namespace sluice::socks;

void round_trip_request(ByteView wire) {
  Reader in{wire};
  const auto request = decode_request(in);
  if (!request) return;
  const auto to = to_destination(request->address);
  if (!to) return;
  std::array<std::byte, kMaxRequest> room{};
  Writer out{room};
  encode_request(request->command, *to, out);
  Reader again{out.written()};
  const auto second = decode_request(again);
  if (out.overflow() || !second || to_destination(second->address) != to) std::abort();
}

void round_trip_reply(ByteView wire) {
  Reader in{wire};
  const auto reply = decode_reply(in);
  if (!reply) return;
  std::array<std::byte, kMaxReply> room{};
  Writer out{room};
  encode_reply(reply->code, to_endpoint(reply->bound), out);
  Reader again{out.written()};
  if (out.overflow() || !decode_reply(again)) std::abort();
}

void round_trip_password(ByteView wire) {
  Reader in{wire};
  const auto pair = decode_user_password(in);
  if (!pair) return;
  std::array<std::byte, kMaxUserPassword> room{};
  Writer out{room};
  if (!encode_user_password(as_text(pair->user), as_text(pair->password), out)) std::abort();
  Reader again{out.written()};
  const auto second = decode_user_password(again);
  if (!second || as_text(second->password) != as_text(pair->password)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView wire{reinterpret_cast<const std::byte*>(data), size};
  Reader greeting{wire};
  (void)decode_greeting(greeting);
  Reader request4{wire};
  const auto old = decode_request4(request4);
  if (old && old->name.size() > 255) std::abort();
  round_trip_request(wire);
  round_trip_reply(wire);
  round_trip_password(wire);
  return 0;
}
