// Fuzz: what lies behind a QUIC packet's tag, where no mutation of a sealed packet gets: its
// frames, and the hello that they carry. Frames taken twice give what they gave once.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "dataplane/sniff/client_hello.h"
#include "dataplane/sniff/quic_frames.h"

namespace {

using namespace sluice;
using namespace sluice::sniff;

Verdict look(const HelloBytes& bytes, HostName& host) {
  PieceReader in(bytes.prefix());
  return read_hello_message(in, host).verdict;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView frames{reinterpret_cast<const std::byte*>(data), size};
  HelloBytes bytes;
  const bool good = take_crypto_frames(frames, bytes);
  HostName host;
  const Verdict verdict = look(bytes, host);
  if (!host.empty() && (verdict != Verdict::found || !is_normal_name(host.text()))) std::abort();
  if (take_crypto_frames(frames, bytes) != good) std::abort();
  HostName again;
  if (look(bytes, again) != verdict || again.text() != host.text()) std::abort();
  return 0;
}
