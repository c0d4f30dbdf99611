// mrs files: as they are, and with the input as the content inside, or hardly any input would get
// past the compression. What is read is written and must come back as it was.
#include <cstdint>
#include <string>

#include "controlplane/ruleformats/line_writer.h"
#include "controlplane/ruleformats/mrs.h"
#include "controlplane/ruleformats/unpack.h"
#include "tests/fuzz/rule_entries.h"

namespace {

using namespace sluice;
using namespace sluice::ruleformats;

std::string as_list(ByteView file, Behavior behavior) {
  CheckedEntries faults;
  std::string out;
  LineWriter writer(LineFormat::text, behavior, out, faults);
  static_cast<void>(read_mrs(file, behavior, kFuzzBounds, writer));
  return out;
}

void check(ByteView file, Behavior behavior) {
  CheckedEntries entries;
  const auto tally = read_mrs(file, behavior, kFuzzBounds, entries);
  entries.check(tally);
  if (!tally || tally->entries == 0) return;
  CheckedEntries faults;
  MrsWriter writer(behavior, faults);
  require(read_mrs(file, behavior, kFuzzBounds, writer).has_value());
  const auto once = writer.finish();
  require(once.has_value());
  MrsWriter again(behavior, faults);
  require(read_mrs(*once, behavior, kFuzzBounds, again).has_value());
  require(as_list(*once, behavior) == as_list(*again.finish(), behavior));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file = std::as_bytes(std::span(data, size));
  const auto packed = pack_zstd(file);
  require(packed.has_value());
  for (const Behavior behavior : {Behavior::domain, Behavior::ipcidr}) {
    check(file, behavior);
    check(*packed, behavior);
  }
  return 0;
}
