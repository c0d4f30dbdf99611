// Memory of accepted files: what is read is written again as the same bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "controlplane/ruleset/file_records.h"

using namespace sluice;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView content(reinterpret_cast<const std::byte*>(data), size);
  const auto records = sets::parse_records(content);
  if (!records) return 0;
  const auto file = sets::encode_records(*records);
  const auto again = ByteView(file).first(file.size() - sizeof(contract::Digest));
  if (!std::ranges::equal(again, content)) std::abort();
  return 0;
}
