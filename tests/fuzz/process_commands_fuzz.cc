// The decoders of sluice-proc's frames: whatever decodes must encode back to the same bytes, so
// that no frame has two meanings; and no frame may crash them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dataplane/helper/process_commands.h"

using namespace sluice;

namespace {

template <class T, class Encode>
void expect_same(ByteView frame, const Result<T>& value, Encode encode) {
  if (!value) return;
  std::vector<std::byte> room(frame.size());
  Writer out{room};
  encode(*value, out);
  if (out.overflow() || !std::ranges::equal(frame, out.written())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView frame = std::as_bytes(std::span(data, size));
  expect_same(frame, proc::decode_question(frame), proc::encode_question);
  expect_same(frame, proc::decode_answer(frame), proc::encode_answer);
  return 0;
}
