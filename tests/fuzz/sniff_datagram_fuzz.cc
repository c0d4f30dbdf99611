// Fuzz: a flow's datagrams, each behind its size (2 bytes). A final answer stays, and comes within
// the bound of datagrams.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "dataplane/sniff/datagram.h"

namespace {

using namespace sluice;
using namespace sluice::sniff;

bool same(const Answer& a, const Answer& b) {
  return a.verdict == b.verdict && a.protocol == b.protocol && a.host.text() == b.host.text();
}

InitialOpener& opener() {
  static auto made = InitialOpener::make();
  if (!made) std::abort();
  return *made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader in{ByteView{reinterpret_cast<const std::byte*>(data), size}};
  DatagramSniffer sniffer;
  Answer last;
  bool final = false;
  for (unsigned count = 1; in.left() > 0; ++count) {
    const std::size_t wanted = in.u16be();
    const Answer answer = sniffer.feed(opener(), in.take(std::min(wanted, in.left())));
    if (final && !same(answer, last)) std::abort();
    if (answer.verdict == Verdict::found && answer.protocol == Protocol::none) std::abort();
    if (!answer.host.empty() && !is_normal_name(answer.host.text())) std::abort();
    last = answer;
    final = answer.verdict != Verdict::needs_more;
    if (!final && count >= kMaxDatagrams) std::abort();
  }
  return 0;
}
