// Fuzz: frames of datagrams on a stream. The pieces must not matter, and what is read must be
// written again as a frame that reads the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dataplane/protocol/framed/frame.h"

namespace {

using namespace sluice;
using namespace sluice::framed;

MemoryBudget budget{256 * kBlockBytes};
SlicePool pool{budget};

std::vector<std::string> read_in_pieces(ByteView wire, std::size_t piece) {
  FrameReader reader;
  SliceQueue in;
  std::vector<std::string> out;
  while (!wire.empty()) {
    const std::size_t count = std::min(piece, wire.size());
    if (!in.copy_in(pool, wire.first(count))) std::abort();
    wire = wire.subspan(count);
    for (;;) {
      auto frame = reader.next(in, pool);
      if (!frame) std::abort();
      if (!*frame) break;
      Packet& packet = (*frame)->packet;
      std::string text(as_text(packet.bytes()));
      const auto to = socks::to_destination((*frame)->address);
      if (to && packet.size <= kMaxFramePayload) {
        if (!push_frame_head(packet, *to)) std::abort();
        text += to->to_string();
      }
      out.push_back(std::move(text));
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView wire{reinterpret_cast<const std::byte*>(data), std::min<std::size_t>(size, 8192)};
  if (read_in_pieces(wire, 1) != read_in_pieces(wire, 8192)) std::abort();
  return 0;
}
