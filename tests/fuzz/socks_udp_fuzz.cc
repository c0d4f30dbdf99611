// Fuzz: heads of relayed datagrams. What decodes must encode and decode again to the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dataplane/protocol/socks/udp_head.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  constexpr std::size_t kRoom = socks::kMaxUdpHead;
  std::vector<std::byte> buffer(kRoom + size);
  std::copy_n(reinterpret_cast<const std::byte*>(data), size, buffer.begin() + kRoom);
  Packet packet;
  packet.data = buffer.data() + kRoom;
  packet.size = size;
  packet.headroom = kRoom;
  const auto address = socks::take_udp_head(packet);
  if (!address) return 0;
  const auto to = socks::to_destination(*address);
  if (!to) return 0;
  const std::size_t payload = packet.size;
  if (!socks::push_udp_head(packet, *to)) std::abort();
  const auto again = socks::take_udp_head(packet);
  if (!again || packet.size != payload || socks::to_destination(*again) != to) std::abort();
  return 0;
}
