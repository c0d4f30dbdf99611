// Fuzz: opening a Shadowsocks stream and a datagram under a fixed key.
//
// The first byte picks the piece size; the rest is the wire. Whatever arrives, the pieces must not
// matter. A second run seals the input itself and cuts it up: then it must come back.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dataplane/protocol/shadowsocks/datagram.h"
#include "dataplane/protocol/shadowsocks/record.h"

namespace {

using namespace sluice;
using namespace sluice::shadowsocks;

MemoryBudget budget{256 * kBlockBytes};
SlicePool pool{budget};

const Key& key() {
  static const Key fixed = *Key::make(crypto::AeadKind::aes_128_gcm, "barfoo!");
  return fixed;
}

std::string open_in_pieces(ByteView wire, std::size_t piece, Errc& error) {
  Opener opener(key(), pool);
  SliceQueue in;
  SliceQueue plain;
  error = Errc::none;
  while (!wire.empty() && error == Errc::none) {
    const std::size_t count = std::min(piece, wire.size());
    if (!in.copy_in(pool, wire.first(count))) std::abort();
    wire = wire.subspan(count);
    const Status opened = opener.open(in, plain);
    if (!opened) error = opened.error().code;
  }
  std::string text(plain.size(), '\0');
  plain.peek(std::as_writable_bytes(std::span(text)));
  return text;
}

void seal_and_open(ByteView text, std::size_t piece) {
  const std::array<std::byte, 16> salt{};
  auto sealer = Sealer::make(key(), salt);
  std::vector<std::byte> wire;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    auto slice = Slice::make(pool);
    if (!sealer || !slice) std::abort();
    slice->append(text.subspan(at, std::min(piece, text.size() - at)));
    if (!sealer->seal(*slice)) std::abort();
    wire.insert(wire.end(), slice->data().begin(), slice->data().end());
  }
  Errc error{};
  if (open_in_pieces(wire, 3 * piece, error) != as_text(text)) std::abort();
}

void open_datagram(ByteView wire) {
  static DatagramCipher cipher = std::move(*DatagramCipher::make(key()));
  std::vector<std::byte> buffer(wire.begin(), wire.end());
  Packet packet;
  packet.data = buffer.data();
  packet.size = buffer.size();
  (void)cipher.open(packet);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  const ByteView wire{reinterpret_cast<const std::byte*>(data + 1),
                      std::min<std::size_t>(size - 1, 4096)};
  Errc in_pieces{};
  Errc at_once{};
  const std::string a = open_in_pieces(wire, piece, in_pieces);
  const std::string b = open_in_pieces(wire, 8192, at_once);
  if (a != b || in_pieces != at_once) std::abort();
  seal_and_open(wire, piece);
  open_datagram(wire);
  return 0;
}
