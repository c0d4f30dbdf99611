// Fuzz: a stream's start. A longer start never changes an answer that was final, fewer bytes than
// `wants` never change one that was not, and `enough` bytes are enough.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/stream.h"

namespace {

using namespace sluice;
using namespace sluice::sniff;

bool same(const Answer& a, const Answer& b) {
  return a.verdict == b.verdict && a.protocol == b.protocol && a.host.text() == b.host.text();
}

void check_shape(const Answer& answer, std::size_t size) {
  if (!answer.host.empty() && !is_normal_name(answer.host.text())) std::abort();
  if (answer.verdict == Verdict::found && answer.protocol == Protocol::none) std::abort();
  if (answer.verdict != Verdict::needs_more) return;
  if (answer.wants <= size || answer.wants > answer.enough || answer.enough > kMaxStream)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView wire{reinterpret_cast<const std::byte*>(data), size};
  const Answer whole = sniff_stream(wire);
  check_shape(whole, size);
  std::size_t enough = SIZE_MAX;
  for (std::size_t cut = 0; cut < size;) {
    const Answer part = sniff_stream(wire.first(cut));
    check_shape(part, cut);
    if (part.verdict != Verdict::needs_more) {
      if (!same(part, whole)) std::abort();
      break;
    }
    if (cut >= enough) std::abort();
    enough = std::min(enough, part.enough);
    // The last size that still must give this answer.
    const std::size_t last = std::min(part.wants - 1, size);
    if (!same(sniff_stream(wire.first(last)), part)) std::abort();
    cut = part.wants;
  }
  return 0;
}
