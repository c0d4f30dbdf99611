// sing-box's binary rule sets: as they are, and with the input as the content inside.
#include <zlib.h>

#include <cstdint>
#include <vector>

#include "controlplane/ruleformats/srs.h"
#include "tests/fuzz/rule_entries.h"

namespace {

using namespace sluice;
using namespace sluice::ruleformats;

void check(ByteView file) {
  CheckedEntries entries;
  entries.check(read_srs(file, kFuzzBounds, entries));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(std::as_bytes(std::span(data, size)));
  uLongf packed = compressBound(size);
  std::vector<std::byte> file(4 + packed);
  Writer head(file);
  head.text("SRS\x04");
  require(compress2(reinterpret_cast<Bytef*>(file.data()) + 4, &packed, data, size, 1) == Z_OK);
  check(ByteView(file).first(4 + packed));
  return 0;
}
