// Records of downloaded copies: what is read is written and read again as the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controlplane/provider/origin.h"

using namespace sluice::provider;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto origin = parse_origin({reinterpret_cast<const char*>(data), size});
  if (!origin) return 0;
  if (parse_origin(to_text(*origin)) != origin) std::abort();
  return 0;
}
