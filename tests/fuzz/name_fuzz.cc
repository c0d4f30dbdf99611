// Fuzz: what a client or a DNS packet calls a name. The normal form must be a fixed point.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proto/common/name.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto normal = sluice::normalize_name(text);
  if (!normal) return 0;
  if (normal->empty() || normal->size() > sluice::kMaxName) std::abort();
  if (!sluice::is_normal_name(*normal)) std::abort();
  const auto again = sluice::normalize_name(*normal);
  if (!again || *again != *normal) std::abort();
  return 0;
}
