// The helper's command decoder: whatever decodes must encode back to the same bytes, so that no
// frame has two meanings; and no frame may crash it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dataplane/helper/commands.h"

using namespace sluice;

namespace {

void check_request(ByteView frame) {
  const Result<nft::Request> request = nft::decode_request(frame);
  if (!request) return;
  std::vector<std::byte> room(nft::kMaxFrameBytes + frame.size());
  Writer out{room};
  nft::encode_request(*request, out);
  if (out.overflow() || out.size() != frame.size()) std::abort();
  if (!std::equal(frame.begin(), frame.end(), out.written().begin())) std::abort();
}

void check_verdict(ByteView frame) {
  const Result<nft::Verdict> verdict = nft::decode_verdict(frame);
  if (!verdict) return;
  std::vector<std::byte> room(frame.size());
  Writer out{room};
  nft::encode_verdict(*verdict, out);
  if (out.overflow() || out.size() != frame.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView frame = std::as_bytes(std::span(data, size));
  check_request(frame);
  check_verdict(frame);
  return 0;
}
